import { useEffect, useRef, useState, type ReactNode } from 'react';
import { problemOf } from '../api/client';
import type { Job, Problem } from '../api/types';
import { useTexts } from '../texts';
import { ProblemMessage } from './problem-message';

/** The states in which a job sends no more events. */
export const isOver = ({ state }: Job): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled';

/** Before this time, what is done so far says little of the rest. */
const LEAST_MS = 3000;

/** What was done when a job was first seen at work. */
interface Begun {
  readonly id: string;
  readonly text: string;
  readonly done: number;
  readonly elapsedMs: number;
}

/** An estimate from what was done since the work was first seen, whole seconds; undefined: too early. */
function useSecondsLeft({ id, progress: { text, done, of }, elapsedMs }: Job): number | undefined {
  const [begun, setBegun] = useState<Begun>();
  if (of === undefined) return undefined;
  if (begun === undefined || begun.id !== id || begun.text !== text || done < begun.done) {
    setBegun({ id, text, done, elapsedMs });
    return undefined;
  }
  const took = elapsedMs - begun.elapsedMs;
  if (took < LEAST_MS || done <= begun.done || done >= of) return undefined;
  return Math.ceil((took * (of - done)) / (done - begun.done) / 1000);
}

const TICK_MS = 250;

/** Seconds since the job began to run. Between two events they are counted here, in whole seconds. */
function useSeconds({ id, state, elapsedMs }: Job): string {
  const begun = useRef({ id, at: Infinity });
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (state !== 'running') return;
    const at = performance.now() - elapsedMs;
    // an event that was late must not set the clock back
    begun.current = { id, at: begun.current.id === id ? Math.min(begun.current.at, at) : at };
    const tick = (): void => {
      setSeconds(Math.floor((performance.now() - begun.current.at) / 1000));
    };
    tick();
    const timer = window.setInterval(tick, TICK_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, [id, state, elapsedMs]);
  return state === 'running' ? String(seconds) : (elapsedMs / 1000).toFixed(1);
}

/**
 * Progress, position in the queue, time, and a button that cancels, or shows why the console refused it. `isEarly`: too little
 * is done for an estimate.
 */
export function JobState({
  job,
  cancel,
  isEarly = false,
}: {
  job: Job;
  cancel: () => Promise<void>;
  isEarly?: boolean;
}): ReactNode {
  const t = useTexts();
  const { state, ahead, progress, error, errorCode = '' } = job;
  const left = useSecondsLeft(job);
  const seconds = useSeconds(job);
  const [refusal, setRefusal] = useState<Problem>();
  const why = job.cancelledBecause && t.run.cancelledBecause[job.cancelledBecause];
  const words = why ?? (state === 'queued' ? t.run.queued(ahead) : t.run[state]);
  return (
    <div className={`job job-${state}`}>
      <strong role="status">{words}</strong>
      {state === 'running' && (
        <>
          <progress
            aria-label={progress.text === '' ? words : t.progress(progress.text)}
            {...(progress.of !== undefined && { value: progress.done, max: progress.of })}
          />
          <span className="muted">{t.progress(progress.text)}</span>
        </>
      )}
      {state !== 'queued' && <span className="muted">{t.common.seconds(seconds)}</span>}
      {state === 'running' && !isEarly && left !== undefined && (
        <span className="muted">{t.common.left(left)}</span>
      )}
      {!isOver(job) && (
        <button
          type="button"
          onClick={() => {
            cancel().catch((thrown: unknown) => {
              setRefusal(problemOf(thrown));
            });
          }}
        >
          {t.common.cancel}
        </button>
      )}
      {refusal !== undefined && !isOver(job) && <ProblemMessage problem={refusal} />}
      {error !== undefined && (
        <p className="problem">
          {t.problem({ code: errorCode, title: '', detail: error }, undefined).detail}
        </p>
      )}
    </div>
  );
}
