import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { Board } from '../api/types';
import { useLoaded } from '../api/use-loaded';
import { labelOf, useTexts } from '../texts';
import { useClassroom } from './classroom-gate';
import '../styles/classroom.css';

const POLL_MS = 3000;

/** The goals that each student has reached; renders nothing without a class. */
export function ClassBoard({ all }: { all: readonly string[] }): ReactNode {
  return useClassroom().isOpen && <PolledBoard all={all} />;
}

/** The students with their goals, requested again and again. */
export function useBoard(): { value?: Board; reload: () => void } {
  const { value, reload } = useLoaded('board', api.board);
  useEffect(() => {
    const timer = window.setInterval(reload, POLL_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, []);
  return { ...(value !== undefined && { value }), reload };
}

function PolledBoard({ all }: { all: readonly string[] }): ReactNode {
  const t = useTexts();
  const { value, reload } = useBoard();
  return (
    <section className="panel class-board">
      <h2>
        {t.classroom.board} <Link href="/class">{t.classroom.projector}</Link>
      </h2>
      {value?.rows.length === 0 && <p className="muted">{t.classroom.empty}</p>}
      {value !== undefined && value.rows.length > 0 && (
        <>
          <Summary rows={value.rows} all={all} />
          <Names rows={value.rows} all={all} reload={reload} />
        </>
      )}
    </section>
  );
}

/** How many students have reached each goal. */
function Summary({ rows, all }: { rows: Board['rows']; all: readonly string[] }): ReactNode {
  const t = useTexts();
  return (
    <ul className="class-goals">
      {all.map((id) => {
        const count = rows.filter(({ goals }) => goals.includes(id)).length;
        return (
          <li key={id}>
            <span>{labelOf(t.goals.names, id)}</span>
            <progress value={count} max={rows.length} aria-label={labelOf(t.goals.names, id)} />
            <strong>{t.classroom.ofAll(count, rows.length)}</strong>
          </li>
        );
      })}
    </ul>
  );
}

/** The students with their goals, closed at first: a class may have a hundred. */
function Names({
  rows,
  all,
  reload,
}: {
  rows: Board['rows'];
  all: readonly string[];
  reload: () => void;
}): ReactNode {
  const t = useTexts();
  const isTeacher = useClassroom().member?.isTeacher === true;
  return (
    <details>
      <summary>{t.classroom.students(rows.length)}</summary>
      <ul className="class-names">
        {rows.map(({ id, name, goals }) => (
          <li key={id}>
            <strong>{name}</strong>
            <span title={goals.map((goal) => labelOf(t.goals.names, goal)).join('\n')}>
              {goals.length}/{all.length}
            </span>
            {isTeacher && <RemoveButton id={id} name={name} removed={reload} />}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Removes a student; its browser can join again, and then sends its proofs. */
function RemoveButton({ id, name, removed }: { id: string; name: string; removed: () => void }): ReactNode {
  const t = useTexts();
  return (
    <button
      type="button"
      className="quiet"
      aria-label={`${t.classroom.remove}: ${name}`}
      onClick={() => {
        // another tab may have removed it: the board then shows so
        void api.removeMember(id).then(removed, removed);
      }}
    >
      {t.classroom.remove}
    </button>
  );
}
