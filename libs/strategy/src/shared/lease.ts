import type { Clock, Ticker } from '#lab/step';
import { LockLost } from './errors';

/**
 * A holder's view of its lease, by its own clock. The lease is counted from *before* the request was sent, so that the
 * local deadline is never later than the server's.
 */
export class Lease {
  private readonly controller = new AbortController();
  private deadline: Ticker | undefined;
  private ended = false;

  constructor(
    private readonly key: string,
    private readonly leaseMs: number,
    private readonly clock: Clock,
  ) {}

  /** Aborted with `LockLost` when the lease ends, or when a renewal finds that the lock is not ours. */
  get lost(): AbortSignal {
    return this.controller.signal;
  }

  /** Acquires or renews the lock by `request`. If that succeeds, the lease runs from before the request. */
  async grant(request: () => Promise<boolean>): Promise<boolean> {
    const sentAt = this.clock.now();
    const granted = await request();
    if (granted) this.runsFrom(sentAt);
    return granted;
  }

  /** For a lock that another client hands over: `since` is a moment at which it was not yet ours. */
  runsFrom(since: number): void {
    if (this.ended) return;
    this.deadline?.stop();
    this.deadline = this.clock.after(since + this.leaseMs - this.clock.now(), () => {
      this.lose();
    });
  }

  /** Renews every third of the lease, for at most `maxMs` in total. Returns the function that stops it. */
  keep(maxMs: number, renew: () => Promise<boolean>): () => void {
    const until = this.clock.now() + maxMs;
    const watchdog = this.clock.every(this.leaseMs / 3, async () => {
      if (this.clock.now() > until) watchdog.stop();
      else if (!(await this.grant(renew))) this.lose();
    });
    return () => {
      watchdog.stop();
      this.end();
    };
  }

  /** The holder is done: `lost` is not aborted any more. */
  end(): void {
    this.ended = true; // a renewal in flight must not set a new deadline
    this.deadline?.stop();
  }

  private lose(): void {
    this.controller.abort(new LockLost(this.key));
  }
}
