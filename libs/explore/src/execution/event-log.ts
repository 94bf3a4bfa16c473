import { describeError, describeReply, describeStep, plainReply, type Step } from '#lab/step';
import type { Outcome } from '../actors';
import { setsStrictReads } from '../world';
import type { FaultEvent, LockChange, ScheduleEvent, StepEvent } from '#lab/verdict';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Records the events of a schedule. */
export class EventLog {
  readonly events: ScheduleEvent[] = [];
  /** A session has chosen an isolation level with which a plain SELECT depends on uncommitted writes. */
  hasStrictReads = false;
  private isSealed = false;
  private readonly steps = new Map<ScheduleEvent, Step>();
  private readonly replies = new Map<ScheduleEvent, unknown>();

  constructor(private readonly clock: { readonly now: number }) {}

  /** Records an issued step; `answer` or `fail` completes the event. */
  step(step: Step, extra: Partial<StepEvent>): Mutable<StepEvent> {
    const event: Mutable<StepEvent> = {
      n: this.events.length + 1,
      at: this.clock.now,
      type: 'step',
      actor: step.actor,
      ...describeStep(step),
      ...(step.until !== undefined && { awaits: 'notification' as const }),
      ...extra,
    };
    this.events.push(event);
    this.steps.set(event, step);
    if (step.kind === 'sql' && setsStrictReads(step)) this.hasStrictReads = true;
    return event;
  }

  /** The step that an event records. */
  stepOf(event: StepEvent): Step {
    const step = this.steps.get(event);
    if (step === undefined) throw new Error(`event ${event.n} is not in this log`);
    return step;
  }

  /** The whole reply, of which the event may show the beginning only. Undefined: not answered. */
  replyOf(event: StepEvent): unknown {
    return this.replies.get(event);
  }

  /** The schedule is over: what a server still answers when requests are ended is not part of it. */
  seal(): void {
    this.isSealed = true;
  }

  answer(event: Mutable<StepEvent>, step: Step, reply: unknown, locks: readonly LockChange[]): void {
    if (this.isSealed) return;
    Object.assign(event, describeReply(step, reply));
    this.replies.set(event, plainReply(reply));
    if (locks.length > 0) event.locks = locks;
    this.setAnsweredAt(event);
  }

  fail(event: Mutable<StepEvent>, error: unknown): void {
    if (this.isSealed) return;
    Object.assign(event, describeError(error));
    this.setAnsweredAt(event);
  }

  fault(
    fault: FaultEvent['fault'],
    subject: string,
    text: string,
    effective = true,
    locks: readonly LockChange[] = [],
  ): void {
    this.add({
      type: 'fault',
      fault,
      subject,
      text,
      effective,
      ...(locks.length > 0 && { locks }),
    });
  }

  time(text: string, locks: readonly LockChange[] = []): Mutable<ScheduleEvent> {
    return this.add({ type: 'time', text, ...(locks.length > 0 && { locks }) });
  }

  warn(actor: string, text: string): void {
    this.add({ type: 'warn', actor, text });
  }

  end(actor: string, outcome: Outcome): void {
    this.add({ type: 'end', actor, ...outcome });
  }

  private add(event: DistributiveOmit<ScheduleEvent, 'n' | 'at'>): Mutable<ScheduleEvent> {
    const added = { n: this.events.length + 1, at: this.clock.now, ...event };
    this.events.push(added);
    return added;
  }

  /** A reply after further events: the step waited in the server. */
  private setAnsweredAt(event: Mutable<StepEvent>): void {
    if (this.events.length > event.n) event.answeredAt = this.events.length;
  }
}
