/** Something to wait for that happens again and again. */
export class Signal {
  private waiting: (() => void) | undefined;
  private promise: Promise<void> | undefined;

  /** Resolves when `fire` is called next. */
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
