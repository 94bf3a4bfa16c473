import type { ReactNode } from 'react';
import { SIGNS } from '../shared/mark';
import { labelOf, useTexts } from '../texts';
import { useReached } from './progress';
import '../styles/lessons.css';

interface Listed {
  readonly id: string;
  readonly choices?: number;
}

/** Goals with their progress; `action` draws what leads to one. */
export function GoalList<Goal extends Listed>({
  goals,
  action,
}: {
  goals: readonly Goal[];
  action: (goal: Goal) => ReactNode;
}): ReactNode {
  const t = useTexts();
  const reached = useReached();
  return (
    <ul className="goals">
      {goals.map((goal) => {
        const isReached = reached.has(goal.id);
        return (
          <li key={goal.id} className={isReached ? 'goal goal-reached' : 'goal'}>
            <span className="goal-state" title={isReached ? t.goals.reached : t.goals.open}>
              <span aria-hidden="true">{isReached ? SIGNS.safe : '○'}</span>
              <span className="hidden">{isReached ? t.goals.reached : t.goals.open}</span>
            </span>
            <span className="goal-name">
              {labelOf(t.goals.names, goal.id)}
              {goal.choices !== undefined && <small> {t.goals.atMost(goal.choices)}</small>}
            </span>
            {action(goal)}
          </li>
        );
      })}
    </ul>
  );
}
