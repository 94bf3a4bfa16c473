import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useGoals } from '../api/shared-lists';
import { ClassBoard } from '../classroom/class-board';
import { JoinBanner } from '../classroom/join-banner';
import { useBegin } from '../step/begin-form';
import { ProblemMessage } from '../shared/problem-message';
import { labelOf, useTexts } from '../texts';
import { DeleteProgress } from './delete-progress';
import { GoalList } from './goal-list';
import { LessonList } from './lesson-list';
import { useReached } from './progress';
import { beginOf } from './use-goals';
import '../styles/lessons.css';

/** All goals, with what leads to each, and the progress of this browser. */
export function LessonsPage(): ReactNode {
  const t = useTexts();
  const goals = useGoals() ?? [];
  const reached = useReached();
  const { begin, isBusy, problem } = useBegin();
  const ids = goals.map(({ id }) => id);
  const done = ids.filter((id) => reached.has(id)).length;
  const nameOf = (id: string): string => labelOf(t.goals.names, id);
  return (
    <div className="page">
      <h1>{t.lessons.title}</h1>
      <JoinBanner />
      <LessonList />
      <h2>{t.lessons.goalsTitle}</h2>
      <p className="intro">{t.lessons.intro}</p>
      <div className="lesson-head">
        <strong>{t.lessons.progress(done, ids.length)}</strong>
        <progress value={done} max={ids.length} aria-label={t.lessons.progress(done, ids.length)} />
        <DeleteProgress count={done} />
      </div>
      {problem !== undefined && <ProblemMessage problem={problem} />}
      <section>
        <h3>{t.lessons.runs}</h3>
        <GoalList
          goals={goals.filter(({ task }) => task === 'run')}
          action={({ id, preset = '' }) => (
            <Link
              className="button"
              href={`/run?preset=${preset}`}
              aria-label={`${t.lessons.try}: ${nameOf(id)}`}
            >
              {t.lessons.try}
            </Link>
          )}
        />
      </section>
      <section>
        <h3>{t.lessons.steps}</h3>
        <GoalList
          goals={goals.filter(({ task }) => task === 'show')}
          action={(goal) => (
            <button
              type="button"
              disabled={isBusy}
              aria-label={`${t.lessons.try}: ${nameOf(goal.id)}`}
              onClick={() => {
                begin(beginOf(goal));
              }}
            >
              {t.lessons.try}
            </button>
          )}
        />
      </section>
      <section>
        <h3>{t.lessons.proofs}</h3>
        <GoalList
          goals={goals.filter(({ task }) => task === 'prove')}
          action={({ id, strategy, actors = '12', faults = '' }) => (
            <Link
              className="button"
              href={`/explore?${new URLSearchParams({ strategy, actors, faults }).toString()}`}
              aria-label={`${t.lessons.try}: ${nameOf(id)}`}
            >
              {t.lessons.try}
            </Link>
          )}
        />
      </section>
      <ClassBoard all={ids} />
    </div>
  );
}
