import type { ReactNode } from 'react';
import { UNREACHABLE } from '../api/client';
import type { Problem } from '../api/types';
import { useTexts } from '../texts';

/** What went wrong, in the language of the page; children: the way back. */
export function ProblemMessage({ problem, children }: { problem: Problem; children?: ReactNode }): ReactNode {
  const t = useTexts();
  const isAway = problem.code === UNREACHABLE;
  const { title, detail } = t.problem(problem, reasonOf(problem));
  return (
    <div className="problem" role="alert">
      <strong>{isAway || title === '' ? t.common.problem : title}</strong>
      <p>{isAway ? t.lab.bannerUnreachable : detail}</p>
      {children}
    </div>
  );
}

/** Several causes have one code: the server names the cause. */
const reasonOf = ({ errors }: Problem): string | undefined => {
  const reason = (errors as { readonly reason?: unknown } | null | undefined)?.reason;
  return typeof reason === 'string' ? reason : undefined;
};
