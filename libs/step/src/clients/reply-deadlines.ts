/** Somebody who waits for an answer. */
export interface PendingReply {
  /** The answer is there, of whatever kind. */
  readonly isAnswered: boolean;
  /** None came in time. */
  timeOut(): void;
}

/** So many who have their answer are worth sweeping away. */
const SWEEP_AT = 1024;

/**
 * The patience of one connection: who has asked and has no answer after `ms` gives up. All wait for the same time, so the
 * first one who asked is the first one who is late, and one timer serves all.
 *
 * Only time in which this process ran counts. After SIGSTOP … SIGCONT the timer is overdue while the answer already waits in
 * the socket: two turns of the event loop read it first.
 */
export class ReplyDeadlines {
  private asked: { readonly who: PendingReply; readonly until: number }[] = [];
  /** Where in `asked` the first one stands who may have no answer yet. */
  private first = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ms: number) {}

  /** `who` has asked just now. */
  add(who: PendingReply): void {
    this.forgetAnswered();
    this.asked.push({ who, until: performance.now() + this.ms });
    this.timer ??= this.lookIn(this.ms);
  }

  private lookIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.look();
    }, ms).unref(); // the connection keeps the process alive, not the impatience
  }

  private look(): void {
    this.forgetAnswered();
    const next = this.asked[this.first];
    if (next === undefined) this.timer = undefined;
    else if (next.until > performance.now()) this.timer = this.lookIn(next.until - performance.now());
    else
      setImmediate(() =>
        setImmediate(() => {
          this.timeOut();
        }),
      );
  }

  private timeOut(): void {
    const now = performance.now();
    for (const { who, until } of this.asked.slice(this.first)) {
      if (until > now) break;
      this.first++;
      if (!who.isAnswered) who.timeOut();
    }
    this.look();
  }

  private forgetAnswered(): void {
    while (this.asked[this.first]?.who.isAnswered === true) this.first++;
    if (this.first === this.asked.length) this.asked.length = 0;
    else if (this.first >= SWEEP_AT) this.asked.splice(0, this.first);
    else return;
    this.first = 0;
  }
}
