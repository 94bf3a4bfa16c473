import type { ReactNode } from 'react';
import type { Job } from '../api/types';
import { useTexts } from '../texts';

/** The states in which a job sends no more events. */
export const isOver = ({ state }: Job): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled';

/** An estimate from what is done so far, whole seconds; undefined: too early. */
function secondsLeft({ progress: { done, of }, elapsedMs }: Job): number | undefined {
  if (of === undefined || done <= 0 || done >= of) return undefined;
  return Math.ceil((elapsedMs * (of - done)) / done / 1000);
}

/** Progress, position in the queue, time, and a button that cancels. */
export function JobState({ job, cancel }: { job: Job; cancel: () => void }): ReactNode {
  const t = useTexts();
  const { state, ahead, progress, elapsedMs, error } = job;
  const left = secondsLeft(job);
  const words = state === 'queued' ? t.run.queued(ahead) : t.run[state];
  return (
    <div className={`job job-${state}`}>
      <strong role="status">{words}</strong>
      {state === 'running' && (
        <>
          <progress
            aria-label={progress.text === '' ? words : progress.text}
            {...(progress.of !== undefined && { value: progress.done, max: progress.of })}
          />
          <span className="muted">{progress.text}</span>
        </>
      )}
      <span className="muted">{t.common.seconds((elapsedMs / 1000).toFixed(1))}</span>
      {state === 'running' && left !== undefined && <span className="muted">{t.common.left(left)}</span>}
      {!isOver(job) && (
        <button type="button" onClick={cancel}>
          {t.common.cancel}
        </button>
      )}
      {error !== undefined && <p className="problem">{error}</p>}
    </div>
  );
}
