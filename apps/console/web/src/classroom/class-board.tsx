import { useEffect, type ReactNode } from 'react';
import { api } from '../api/client';
import type { Board } from '../api/types';
import { useLoaded } from '../api/use-loaded';
import { labelOf, useTexts } from '../texts';
import { useClassroom } from './classroom-gate';

const POLL_MS = 3000;

/** The goals that each student has reached; renders nothing without a class. */
export function ClassBoard({ all }: { all: readonly string[] }): ReactNode {
  return useClassroom().isOpen && <PolledBoard all={all} />;
}

function PolledBoard({ all }: { all: readonly string[] }): ReactNode {
  const t = useTexts();
  const { value, reload } = useLoaded('board', api.board);
  useEffect(() => {
    const timer = window.setInterval(reload, POLL_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, []);
  return (
    <section className="panel">
      <h2>{t.classroom.board}</h2>
      {value?.rows.length === 0 && <p className="muted">{t.classroom.empty}</p>}
      {value !== undefined && value.rows.length > 0 && <Table rows={value.rows} all={all} reload={reload} />}
    </section>
  );
}

function Table({
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
    <table className="class-board">
      <thead>
        <tr>
          <th scope="col">{t.classroom.student}</th>
          <th scope="col">{t.classroom.reached}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id: member, name, goals }) => (
          <tr key={member}>
            <th scope="row">
              <span>{name}</span> {isTeacher && <RemoveButton id={member} name={name} removed={reload} />}
            </th>
            <td>
              {all.map((id) => (
                <span
                  key={id}
                  className={goals.includes(id) ? 'mark mark-safe' : 'muted'}
                  title={labelOf(t.goals.names, id)}
                >
                  {goals.includes(id) ? '✓' : '○'}{' '}
                </span>
              ))}
              {goals.length}/{all.length}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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
