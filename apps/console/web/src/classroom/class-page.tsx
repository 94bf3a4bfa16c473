import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useGoals } from '../api/shared-lists';
import type { Board } from '../api/types';
import { SIGNS } from '../shared/mark';
import { labelOf, useTexts } from '../texts';
import { useBoard } from './class-board';
import { useClassroom } from './classroom-gate';
import { JoinBanner } from './join-banner';
import '../styles/classroom.css';

/** For the projector of the teacher: how to join, who has joined, and how many have reached one goal. */
export function ClassPage(): ReactNode {
  const t = useTexts();
  return (
    <div className="page class-page">
      <h1 className="hidden">{t.classroom.board}</h1>
      {useClassroom().isOpen ? <Projected /> : <p>{t.classroom.none}</p>}
    </div>
  );
}

/** More names than these are shown smaller, in columns. */
const MANY = 30;

function Projected(): ReactNode {
  const t = useTexts();
  const rows = useBoard().value?.rows ?? [];
  const goal = useShownGoal(rows);
  return (
    <>
      <JoinBanner />
      {goal !== undefined && <GoalNow goal={goal} rows={rows} />}
      <section className="panel class-joined">
        <h2>{rows.length === 0 ? t.classroom.empty : t.classroom.students(rows.length)}</h2>
        <ul className={rows.length > MANY ? 'class-many' : ''}>
          {rows.map(({ id, name, goals }) => (
            <li key={id} className={goal !== undefined && goals.includes(goal) ? 'class-reached' : ''}>
              {goal !== undefined && goals.includes(goal) && (
                <>
                  <span aria-hidden="true">{SIGNS.safe}</span>
                  <span className="hidden">{t.goals.reached}</span>{' '}
                </>
              )}
              {name}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** A goal, large, with how many have reached it, and the links to the goals before and after it. */
function GoalNow({ goal, rows }: { goal: string; rows: Board['rows'] }): ReactNode {
  const t = useTexts();
  const ids = (useGoals() ?? []).map(({ id }) => id);
  const at = ids.indexOf(goal);
  const reached = countOf(goal, rows);
  const [previous, next] = [ids[at - 1], ids[at + 1]];
  return (
    <section className="panel class-goal" aria-live="polite">
      <p className="muted">{t.classroom.goalNow}</p>
      <p className="actions">
        {previous !== undefined && (
          <Link className="button" href={`/class?goal=${previous}`}>
            {t.classroom.previousGoal}
          </Link>
        )}
        {next !== undefined && (
          <Link className="button" href={`/class?goal=${next}`}>
            {t.classroom.nextGoal}
          </Link>
        )}
      </p>
      <h2>{labelOf(t.goals.names, goal)}</h2>
      {rows.length > 0 && (
        <>
          <p>{t.classroom.reachedBy(reached, rows.length)}</p>
          <progress
            value={reached}
            max={rows.length}
            aria-label={t.classroom.reachedBy(reached, rows.length)}
          />
        </>
      )}
    </section>
  );
}

/** The goal of the address, `?goal=ID`; otherwise the first one that not every student has reached. */
function useShownGoal(rows: Board['rows']): string | undefined {
  const [search] = useSearchParams();
  const ids = (useGoals() ?? []).map(({ id }) => id);
  const named = search.get('goal');
  if (named !== null && ids.includes(named)) return named;
  return ids.find((id) => countOf(id, rows) < Math.max(1, rows.length)) ?? ids.at(-1);
}

const countOf = (goal: string, rows: Board['rows']): number =>
  rows.filter(({ goals }) => goals.includes(goal)).length;
