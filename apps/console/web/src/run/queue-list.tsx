import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { api, problemOf } from '../api/client';
import type { Job, JobList, Problem } from '../api/types';
import { useClassroom } from '../classroom/classroom-gate';
import { ProblemMessage } from '../shared/problem-message';
import { useTexts } from '../texts';

const pathOf = ({ kind, id }: Job): string => (kind === 'run' ? `/run/${id}` : `/explore/${id}`);

const cancel = ({ kind, id }: Job): Promise<unknown> =>
  kind === 'run' ? api.cancelRun(id) : api.cancelExploration(id);

/** The runs and explorations that have not ended, in their order; the teacher can cancel each. */
export function QueueList({ jobs, changed }: { jobs: JobList['jobs']; changed: () => void }): ReactNode {
  const t = useTexts();
  const isTeacher = useClassroom().member?.isTeacher === true;
  const [problem, setProblem] = useState<Problem>();
  return (
    <section>
      <h2>{t.run.current}</h2>
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
                  cancel(job).then(changed, (error: unknown) => {
                    setProblem(problemOf(error));
                  });
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
