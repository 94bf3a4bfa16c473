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

  /** Delivers the message, unless one with this key was delivered before. */
  deliver(
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
