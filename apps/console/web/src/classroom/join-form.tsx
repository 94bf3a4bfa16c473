import { useState, type ReactNode } from 'react';
import { api, problemOf } from '../api/client';
import { lastStudent } from '../api/kept';
import { keptProofs } from '../api/kept-proofs';
import type { Classroom, Problem } from '../api/types';
import { Field } from '../shared/fields';
import { ProblemMessage } from '../shared/problem-message';
import { useTexts } from '../texts';

/** Sends the proofs of this browser again: the class may have been restarted, or the cookie lost. */
async function proveAgain(): Promise<void> {
  for (const [goal, proof] of Object.entries(keptProofs()))
    await api.proveGoal(goal, proof).catch(() => undefined); // the strategy has changed since, or the proof was removed
}

export function JoinForm({ joined }: { joined: (classroom: Classroom) => void }): ReactNode {
  const t = useTexts();
  const [code, setCode] = useState('');
  const last = lastStudent();
  const [name, setName] = useState(last ?? '');
  const [problem, setProblem] = useState<Problem>();
  return (
    <div className="page">
      <h1>{t.classroom.title}</h1>
      <p className="intro">{t.classroom.intro}</p>
      {last !== null && <p>{t.classroom.again(last)}</p>}
      <form
        className="form join"
        onSubmit={(event) => {
          event.preventDefault();
          api.join(code.trim(), name.trim()).then(
            (classroom) => {
              joined(classroom);
              if (classroom.member?.isTeacher === false) void proveAgain();
            },
            (error: unknown) => {
              setProblem(problemOf(error));
            },
          );
        }}
      >
        <Field label={t.classroom.code}>
          {(id) => (
            <input
              id={id}
              className="class-code"
              value={code}
              required
              maxLength={40}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => {
                setCode(target.value);
              }}
            />
          )}
        </Field>
        <Field label={t.classroom.name}>
          {(id) => (
            <input
              id={id}
              value={name}
              required
              maxLength={30}
              autoComplete="nickname"
              onChange={({ target }) => {
                setName(target.value);
              }}
            />
          )}
        </Field>
        <button type="submit" className="primary wide">
          {t.classroom.join}
        </button>
        {problem !== undefined && <ProblemMessage problem={problem} />}
      </form>
    </div>
  );
}
