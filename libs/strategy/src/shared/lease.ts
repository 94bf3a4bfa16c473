import type { Clock, Ticker } from '#lab/step';
import { LockLost } from './errors';

/**
 * What a holder knows of its own lease, from its own clock: a lease is counted from *before* the request for it was
 * sent, so that the holder's deadline is never later than the server's.
 */
export class Lease {
  private readonly controller = new AbortController();
  private deadline: Ticker | undefined;
  private over = false;

  constructor(
    private readonly key: string,
    private readonly leaseMs: number,
    private readonly clock: Clock,
  ) {}

  /** Aborted, with `LockLost`, as soon as the lease has ended or somebody else is known to own the lock. */
  get lost(): AbortSignal {
    return this.controller.signal;
  }

  /** Asks for the lock, or for more of it. When the answer is yes, the lease runs from before the question. */
  async grant(ask: () => Promise<boolean>): Promise<boolean> {
    const asked = this.clock.now();
    const granted = await ask();
    if (granted) this.runsFrom(asked);
    return granted;
  }

  /** For who is given the lock without asking: `since` is a moment at which it was not yet its own. */
  runsFrom(since: number): void {
    if (this.over) return;
    this.deadline?.stop();
    this.deadline = this.clock.after(since + this.leaseMs - this.clock.now(), () => {
      this.lose();
    });
  }

  /** Renews every third of the lease, for at most `mostMs` in all. Returns how to stop it. */
  keep(mostMs: number, renew: () => Promise<boolean>): () => void {
    const until = this.clock.now() + mostMs;
    const watchdog = this.clock.every(this.leaseMs / 3, async () => {
      if (this.clock.now() > until) watchdog.stop();
      else if (!(await this.grant(renew))) this.lose();
    });
    return () => {
      watchdog.stop();
      this.end();
    };
  }

  /** The holder is done: nothing is lost any more. */
  end(): void {
    this.over = true; // a renewal that is on its way sets no deadline any more
    this.deadline?.stop();
  }

  private lose(): void {
    this.controller.abort(new LockLost(this.key));
  }
}
