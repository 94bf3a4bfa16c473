/** Somebody waits for it, somebody else rings it. A ring that comes before the wait is not lost; two are as one. */
export class AutoResetEvent {
  private rung = false;
  private answer: (() => void) | undefined;

  /** It has rung, and nobody has taken the ring yet. */
  get isSet(): boolean {
    return this.rung;
  }

  set(): void {
    this.rung = true;
    this.answer?.();
  }

  /** Forgets a ring: from here on a new one is waited for. */
  consume(): void {
    this.rung = false;
  }

  /** Resolves when it has rung, at the latest after `ms` milliseconds. One waits at a time. */
  heard(ms: number): Promise<void> {
    if (this.rung) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.answer = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.answer = done;
    });
  }
}
