/** A repeatable event. */
export class Signal {
  private waiting: (() => void) | undefined;
  private promise: Promise<void> | undefined;

  /** Resolves at the next call of `fire`. */
  next(): Promise<void> {
    this.promise ??= new Promise((resolve) => {
      this.waiting = resolve;
    });
    return this.promise;
  }

  fire(): void {
    this.waiting?.();
    this.waiting = undefined;
    this.promise = undefined;
  }
}
