/** A request that waits for its reply. */
export interface PendingReply {
  /** The reply has arrived: a result or an error. */
  readonly isAnswered: boolean;
  /** Called when the deadline has passed without a reply. */
  timeOut(): void;
}

/** Number of answered entries at the front of the list that is worth a sweep. */
const SWEEP_AT = 1024;

/**
 * The reply deadlines of one connection: a request without a reply after `ms` times out. All requests have the same limit,
 * so that they expire in the order in which they were added, and one timer serves all.
 *
 * After SIGSTOP … SIGCONT the timer is overdue while a reply may already be in the socket: two turns of the event loop read
 * it first.
 */
export class ReplyDeadlines {
  private pending: { readonly reply: PendingReply; readonly deadline: number }[] = [];
  /** Index in `pending` of the first entry that may have no reply yet. */
  private first = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ms: number) {}

  /** Adds a request that is sent now. */
  add(reply: PendingReply): void {
    this.forgetAnswered();
    this.pending.push({ reply, deadline: performance.now() + this.ms });
    this.timer ??= this.checkIn(this.ms);
  }

  private checkIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.check();
    }, ms).unref(); // the connection keeps the process alive, not its deadlines
  }

  private check(): void {
    this.forgetAnswered();
    const next = this.pending[this.first];
    if (next === undefined) this.timer = undefined;
    else if (next.deadline > performance.now()) this.timer = this.checkIn(next.deadline - performance.now());
    else
      setImmediate(() =>
        setImmediate(() => {
          this.timeOut();
        }),
      );
  }

  private timeOut(): void {
    const now = performance.now();
    for (const { reply, deadline } of this.pending.slice(this.first)) {
      if (deadline > now) break;
      this.first++;
      if (!reply.isAnswered) reply.timeOut();
    }
    this.check();
  }

  private forgetAnswered(): void {
    while (this.pending[this.first]?.reply.isAnswered === true) this.first++;
    if (this.first === this.pending.length) this.pending.length = 0;
    else if (this.first >= SWEEP_AT) this.pending.splice(0, this.first);
    else return;
    this.first = 0;
  }
}
