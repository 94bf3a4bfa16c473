import type { ReactNode } from 'react';
import { GoalList } from '../lessons/goal-list';
import { beginOf } from '../lessons/use-goals';
import { useGoals } from '../api/shared-lists';
import { ProblemMessage } from '../shared/problem-message';
import { labelOf, useTexts } from '../texts';
import { BeginForm, useBegin } from './begin-form';
import { ScheduleView } from './schedule-view';
import '../styles/step.css';
import '../styles/lessons.css';

export function StepPage({ token }: { token: string | undefined }): ReactNode {
  return token === undefined ? <BeginPage /> : <ScheduleView token={token} />;
}

function BeginPage(): ReactNode {
  const t = useTexts();
  const { begin, isBusy, problem } = useBegin();
  return (
    <div className="page">
      <h1>{t.step.title}</h1>
      <p className="intro">{t.step.intro}</p>
      <div className="columns">
        <BeginForm />
        <section>
          <h2>{t.goals.title}</h2>
          {problem !== undefined && <ProblemMessage problem={problem} />}
          <GoalList
            goals={(useGoals() ?? []).filter(({ task }) => task === 'show')}
            action={(goal) => (
              <button
                type="button"
                disabled={isBusy}
                aria-label={`${t.lessons.try}: ${labelOf(t.goals.names, goal.id)}`}
                onClick={() => {
                  begin(beginOf(goal));
                }}
              >
                {t.lessons.try}
              </button>
            )}
          />
        </section>
      </div>
    </div>
  );
}
