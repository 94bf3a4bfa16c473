/** A message as it was delivered. `number` counts the deliveries from 1. */
interface Delivery {
  readonly number: number;
  readonly to: string;
  readonly text: string;
  readonly request: string;
}

/** The deliveries of one namespace. */
export class Outbox {
  readonly deliveries: Delivery[] = [];
  private readonly byKey = new Map<string, Delivery>();
  private repeatsNext = false;

  /** Handles the next message twice, as when a proxy on the way repeats it. */
  repeatNext(): void {
    this.repeatsNext = true;
  }

  /** Delivers a message as often as it arrives, and returns the last answer. */
  receive(
    message: Omit<Delivery, 'number'>,
    key: string | undefined,
  ): { readonly delivery: Delivery; readonly isNew: boolean } {
    if (this.repeatsNext) {
      this.repeatsNext = false;
      this.deliver(message, key);
    }
    return this.deliver(message, key);
  }

  /** Delivers the message, unless one with this key was delivered before. */
  private deliver(
    message: Omit<Delivery, 'number'>,
    key: string | undefined,
  ): { readonly delivery: Delivery; readonly isNew: boolean } {
    const known = key === undefined ? undefined : this.byKey.get(key);
    if (known !== undefined) return { delivery: known, isNew: false };
    const delivery = { number: this.deliveries.length + 1, ...message };
    this.deliveries.push(delivery);
    if (key !== undefined) this.byKey.set(key, delivery);
    return { delivery, isNew: true };
  }
}
