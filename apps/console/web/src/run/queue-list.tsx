import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { api, problemOf } from '../api/client';
import type { Job, JobList, Problem } from '../api/types';
import { useClassroom } from '../classroom/classroom-gate';
import { ConfirmedAction } from '../shared/confirmed-action';
import { ProblemMessage } from '../shared/problem-message';
import { useTexts } from '../texts';

const pathOf = ({ kind, id }: Job): string => (kind === 'run' ? `/run/${id}` : `/explore/${id}`);

const cancel = ({ kind, id }: Job): Promise<unknown> =>
  kind === 'run' ? api.cancelRun(id) : api.cancelExploration(id);

/** The runs and explorations that have not ended, in their order; the teacher can cancel each, or all. */
export function QueueList({ jobs, changed }: { jobs: JobList['jobs']; changed: () => void }): ReactNode {
  const t = useTexts();
  const isTeacher = useClassroom().member?.isTeacher === true;
  const [problem, setProblem] = useState<Problem>();
  const show = (cancelled: Promise<unknown>): void => {
    cancelled.then(changed, (error: unknown) => {
      setProblem(problemOf(error));
    });
  };
  return (
    <section>
      <h2>{t.run.current}</h2>
      {isTeacher && jobs.length > 1 && (
        <p className="actions">
          <ConfirmedAction
            label={t.run.cancelAll}
            confirm={t.run.cancelJobs(jobs.length)}
            act={() => {
              show(api.cancelJobs());
            }}
          />
        </p>
      )}
      {problem !== undefined && <ProblemMessage problem={problem} />}
      <ul className="run-list">
        {jobs.map(({ job, title, by }) => (
          <li key={job.id} className={isTeacher ? 'queued' : undefined}>
            <Link href={pathOf(job)}>
              <strong>{title}</strong>
              <span>{job.state === 'queued' ? t.run.queued(job.ahead) : t.run.running}</span>
              <small>{[t.run.kinds[job.kind], by].filter((text) => text !== '').join(' · ')}</small>
            </Link>
            {isTeacher && (
              <button
                type="button"
                aria-label={`${t.common.cancel}: ${title}${by === '' ? '' : `, ${by}`}`}
                onClick={() => {
                  show(cancel(job));
                }}
              >
                {t.common.cancel}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
