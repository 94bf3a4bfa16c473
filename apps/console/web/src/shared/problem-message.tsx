import type { ReactNode } from 'react';
import { UNREACHABLE } from '../api/client';
import type { Problem } from '../api/types';
import { useTexts } from '../texts';

/** What went wrong, in the server's words; children: the way back. */
export function ProblemMessage({ problem, children }: { problem: Problem; children?: ReactNode }): ReactNode {
  const t = useTexts();
  const isAway = problem.code === UNREACHABLE;
  return (
    <div className="problem" role="alert">
      <strong>{isAway || problem.title === '' ? t.common.problem : problem.title}</strong>
      <p>{isAway ? t.lab.bannerUnreachable : problem.detail}</p>
      {children}
    </div>
  );
}
