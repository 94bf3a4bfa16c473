import { problem, ProblemError } from '#lab/http';
import { Injectable, type MessageEvent, type OnModuleDestroy } from '@nestjs/common';
import { defer, EMPTY, filter, takeUntil, type Observable } from 'rxjs';
import { Classroom, notJoined, teacherOnly, type Member } from '../classroom';
import { JobQueue, QueuedJob, type JobContext, type JobTitle } from './queue';
import type { JobList } from './schemas';

/** Jobs whose results are kept in memory, of each kind. */
const MAX_KEPT = 200;

/** The one queue of runs and explorations, and what their services have in common. */
@Injectable()
export class Jobs implements OnModuleDestroy {
  private readonly queue = new JobQueue();

  /** The jobs of a student that is removed are canceled. */
  constructor(private readonly classroom: Classroom) {
    classroom.removed.subscribe((member) => {
      this.queue.cancelAllOf(member);
    });
  }

  /** Queues a job. Throws a problem when too many of its member wait, or the student was removed. */
  add<Event extends object>(
    about: JobTitle,
    body: (context: JobContext<Event>) => Promise<void>,
  ): QueuedJob<Event> {
    this.assertMayAdd(about.by);
    const job = new QueuedJob<Event>(about, body);
    this.queue.add(job);
    return job;
  }

  /** The jobs that have not ended, in their order. */
  list(): JobList['jobs'] {
    return this.queue.jobs.map((job) => ({
      job: job.view(),
      title: job.about.title,
      by: job.about.by.name,
    }));
  }

  /** The events of a job after the one with this id, for a member. They end with the job, or when the member is removed. */
  eventsFor<Event extends object>(
    { events }: QueuedJob<Event>,
    member: Member,
    lastId: number,
  ): Observable<MessageEvent> {
    const isRemoved = this.classroom.removed.pipe(filter(({ id }) => id === member.id));
    return defer(() =>
      this.classroom.has(member) ? events.after(lastId).pipe(takeUntil(isRemoved)) : EMPTY,
    );
  }

  /** Cancels a job for a member; those behind it move up. */
  cancel<Event extends object>(job: QueuedJob<Event>, member: Member): void {
    this.queue.cancel(job, member);
  }

  /** Cancels the running job and all that wait. Throws a problem unless the member is the teacher. */
  cancelAll(member: Member): void {
    if (!member.isTeacher) throw teacherOnly('cancel', 'only the teacher can cancel the jobs of all');
    this.queue.cancelAll(member);
  }

  /** Finds the job of a service. Throws a problem when there is none. */
  in<T>(known: ReadonlyMap<string, T>, id: string): T {
    const found = known.get(id);
    if (found !== undefined) return found;
    throw new ProblemError(
      problem('JOB.UNKNOWN', `there is no job "${id}": the console was restarted since, or has forgotten it`),
    );
  }

  /** Forgets the oldest jobs that have ended. */
  forget(known: Map<string, { readonly job: Pick<QueuedJob<object>, 'isOver'> }>): void {
    for (const [id, { job }] of known) {
      if (known.size <= MAX_KEPT) return;
      if (job.isOver) known.delete(id);
    }
  }

  private assertMayAdd(by: Member): void {
    if (!this.classroom.has(by)) throw new ProblemError(notJoined());
    if (!this.queue.isFullFor(by)) return;
    throw new ProblemError(
      by.isTeacher
        ? problem('JOB.TOO_MANY', 'too many jobs wait: cancel one, or try again later')
        : problem('JOB.TOO_MANY', 'two of your jobs wait already: cancel one, or wait until one begins', {
            errors: { reason: 'own' },
          }),
    );
  }

  /** Cancels all jobs: their readers' connections end, so that the server can close. */
  async onModuleDestroy(): Promise<void> {
    await this.queue.stop();
  }
}
