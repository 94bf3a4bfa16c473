import type { ReactNode } from 'react';
import { GoalList } from '../lessons/goal-list';
import { STEP_GOALS } from '../lessons/goals';
import { ProblemMessage } from '../shared/problem-message';
import { useTexts } from '../texts';
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
            goals={STEP_GOALS}
            action={(goal) => (
              <button
                type="button"
                disabled={isBusy}
                aria-label={`${t.lessons.try}: ${t.goals.names[goal.id]}`}
                onClick={() => {
                  begin(goal.begin);
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
