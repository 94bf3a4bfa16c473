/** An event for one waiter. Setting it before the wait is not lost; setting it twice is the same as once. */
export class AutoResetEvent {
  private signaled = false;
  private wake: (() => void) | undefined;

  /** True when the event was set and not consumed since. */
  get isSet(): boolean {
    return this.signaled;
  }

  set(): void {
    this.signaled = true;
    this.wake?.();
  }

  /** Resets the event: the next wait needs a new `set`. */
  consume(): void {
    this.signaled = false;
  }

  /** Resolves when the event is set, at the latest after `ms` milliseconds; does not consume it. One waiter at a time. */
  wait(ms: number): Promise<void> {
    if (this.signaled) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.wake = done;
    });
  }
}
