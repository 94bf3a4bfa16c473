import type { ReactNode } from 'react';
import { labelOf, useTexts } from '../texts';
import { useReached } from './progress';
import type { GoalState } from './use-goals';
import '../styles/lessons.css';

/** The goal of what is shown, and whether it is reached. */
export function GoalLine({ goal, result, checkAgain }: GoalState): ReactNode {
  const t = useTexts();
  const wasReached = useReached().has(goal.id);
  const isReached = result?.reached === true;
  return (
    <p className={isReached ? 'goal-line goal-reached' : 'goal-line'} role="status">
      <strong>{isReached ? `✓ ${t.goals.reachedNow}` : `${t.goals.goal}${wasReached ? ' ✓' : ''}`}</strong>{' '}
      {labelOf(t.goals.names, goal.id)}
      {goal.choices !== undefined && ` (${t.goals.atMost(goal.choices)})`}
      {goal.task === 'prove' && ` (${t.goals.proves})`}
      {result?.because !== undefined && ` — ${labelOf(t.goals.notReached, result.because)}`}
      {checkAgain !== undefined && (
        <>
          {' — '}
          {t.goals.unchecked}{' '}
          <button type="button" onClick={checkAgain}>
            {t.common.retry}
          </button>
        </>
      )}
    </p>
  );
}
