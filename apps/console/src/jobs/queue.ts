import { codeOf, messageOf } from '#lab/step';
import { randomBytes } from 'node:crypto';
import type { Member } from '../classroom';
import { EventStream } from './event-stream';
import type { Cancellation, Job } from './job';

/** What the body of a job reports and obeys. */
export interface JobContext<Event extends object> {
  /** Aborted when the job is cancelled, or the console stops. */
  readonly signal: AbortSignal;
  readonly progress: (progress: Job['progress']) => void;
  readonly emit: (event: Event) => void;
}

/** What the list of the jobs says of a job. */
export interface JobTitle {
  readonly kind: Job['kind'];
  /** What it runs. */
  readonly title: string;
  readonly by: Member;
}

/** A job with the events of its readers, which contain its state first. */
export class QueuedJob<Event extends object> {
  readonly id = randomBytes(6).toString('hex');
  readonly events = new EventStream<Event | { readonly job: Job }>();
  private readonly aborting = new AbortController();
  private state: Job['state'] = 'queued';
  private progress: Job['progress'] = { text: '', done: 0 };
  private failure: Pick<Job, 'error' | 'errorCode'> = {};
  private cancellation: Cancellation | undefined;
  private ahead = 0;
  /** When it began to run; waiting in the queue does not count. */
  private begun: number | undefined;
  private ended: number | undefined;

  constructor(
    readonly about: JobTitle,
    private readonly body: (context: JobContext<Event>) => Promise<void>,
  ) {}

  get isOver(): boolean {
    return this.ended !== undefined;
  }

  view(): Job {
    const { id, state, ahead, progress, failure } = this;
    const { kind } = this.about;
    const now = this.ended ?? performance.now();
    const elapsedMs = Math.round(now - (this.begun ?? now));
    const cancelledBecause = state === 'cancelled' ? this.cancellation : undefined;
    return {
      id,
      kind,
      state,
      ahead,
      progress,
      elapsedMs,
      ...failure,
      ...(cancelledBecause !== undefined && { cancelledBecause }),
    };
  }

  /** Called by the queue when its position changes. */
  moveTo(ahead: number): void {
    this.ahead = ahead;
    this.announce();
  }

  cancel(because: Cancellation): void {
    this.cancellation ??= because;
    this.aborting.abort();
    if (this.state === 'queued') this.finish('cancelled');
  }

  /** Called by the queue. Never rejects. */
  async run(): Promise<void> {
    if (this.isOver) return;
    this.state = 'running';
    this.begun = performance.now();
    this.moveTo(0);
    const { signal } = this.aborting;
    try {
      await this.body({
        signal,
        progress: (progress) => {
          this.progress = progress;
          this.announce();
        },
        emit: (event) => {
          this.events.emit(event);
        },
      });
      this.finish(signal.aborted ? 'cancelled' : 'done');
    } catch (error) {
      if (!signal.aborted) this.failure = failureOf(error);
      this.finish(signal.aborted ? 'cancelled' : 'failed');
    }
  }

  private finish(state: Job['state']): void {
    this.state = state;
    this.ended = performance.now();
    this.announce();
    this.events.end();
  }

  private announce(): void {
    this.events.emit({ job: this.view() });
  }
}

const failureOf = (error: unknown): Pick<Job, 'error' | 'errorCode'> => ({
  error: messageOf(error),
  errorCode: codeOf(error),
});

/** Waiting jobs of a teacher at most; one more is refused. */
const MAX_WAITING_OF_TEACHER = 100;

/** Waiting jobs of one student at most. A full class has no bound of its own: a student is not refused because others wait. */
const MAX_WAITING_OF_STUDENT = 2;

/**
 * Runs one job at a time: two loads at once would disturb each other. The jobs of the teacher come first, then those of the
 * students in turns: the first job of each student, in the order in which they came, before the second job of any.
 */
export class JobQueue {
  private waiting: QueuedJob<object>[] = [];
  private running: QueuedJob<object> | undefined;
  private work: Promise<void> | undefined;

  /** A member has as many waiting jobs as it may have. */
  isFullFor({ id, isTeacher }: Member): boolean {
    const own = this.waiting.filter(({ about }) => about.by.id === id);
    return own.length >= (isTeacher ? MAX_WAITING_OF_TEACHER : MAX_WAITING_OF_STUDENT);
  }

  /** The running job, then those that wait, in their order. */
  get jobs(): readonly QueuedJob<object>[] {
    return [...(this.running === undefined ? [] : [this.running]), ...this.waiting];
  }

  add<Event extends object>(job: QueuedJob<Event>): void {
    const place = this.placeFor(job.about.by);
    this.waiting.splice(place === -1 ? this.waiting.length : place, 0, job as unknown as QueuedJob<object>);
    this.announcePositions();
    this.work ??= this.runAll();
  }

  /** Cancels a job for a member; those behind it move up. */
  cancel<Event extends object>(job: QueuedJob<Event>, { id }: Member): void {
    job.cancel(id === job.about.by.id ? 'request' : 'teacher');
    this.moveUp();
  }

  /** Cancels the running job and all that wait, for the teacher. */
  cancelAll({ id }: Member): void {
    this.cancelEach((by) => (by.id === id ? 'request' : 'teacher'));
  }

  /** Cancels the running job of this member and those that wait; those behind them move up. */
  cancelAllOf({ id }: Member): void {
    this.cancelEach((by) => (by.id === id ? 'student-removed' : undefined));
  }

  /** Cancels all jobs; resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.cancelEach(() => 'console-stopped');
    await this.work;
  }

  /** Cancels the jobs for which there is a reason. */
  private cancelEach(reasonFor: (by: Member) => Cancellation | undefined): void {
    for (const job of this.jobs) {
      const reason = reasonFor(job.about.by);
      if (reason !== undefined) job.cancel(reason);
    }
    this.moveUp();
  }

  /** Forgets waiting jobs that were cancelled; those behind them move up. */
  private moveUp(): void {
    this.waiting = this.waiting.filter(({ isOver }) => !isOver);
    this.announcePositions();
  }

  /** The index of the waiting job before which the next job of this member runs; -1: it runs last. */
  private placeFor({ id, isTeacher }: Member): number {
    const turn = this.turnOf(id, this.waiting.length);
    return this.waiting.findIndex(
      ({ about: { by } }, i) => !by.isTeacher && (isTeacher || this.turnOf(by.id, i) > turn),
    );
  }

  /** The jobs of a member that run before the waiting job with this index. */
  private turnOf(id: string, index: number): number {
    const before = [this.running, ...this.waiting.slice(0, index)];
    return before.filter((job) => job?.about.by.id === id).length;
  }

  private async runAll(): Promise<void> {
    await Promise.resolve(); // the caller of `add` keeps the job before it begins
    while ((this.running = this.waiting.shift()) !== undefined) {
      this.announcePositions();
      await this.running.run();
    }
    this.work = undefined;
  }

  private announcePositions(): void {
    const before = this.running === undefined ? 0 : 1;
    this.waiting.forEach((job, i) => {
      if (!job.isOver) job.moveTo(i + before);
    });
  }
}
