import { useEffect, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useEvents } from '../api/use-events';
import { useLoaded } from '../api/use-loaded';
import type { ExplorationView } from '../api/types';
import { useProofGoal } from '../lessons/use-goals';
import { GoalLine } from '../lessons/goal-line';
import { CopyLink } from '../shared/copy-link';
import { isOver, JobState } from '../shared/job-state';
import { isAbsent, NotFound } from '../shared/not-found';
import { ProblemMessage } from '../shared/problem-message';
import { usePageTitle } from '../shell/page-title';
import { labelOf, useTexts } from '../texts';
import { CountsView } from './counts-view';
import { WitnessView } from './witness-view';

/** Before these, the searched share says little of the time that is left. */
const LEAST_SCHEDULES = 5;

/** An exploration while it runs and after. */
export function ExplorationResult({ id }: { id: string }): ReactNode {
  const t = useTexts();
  const { view, problem, replace } = useExploration(id);
  const goal = useProofGoal(view);
  usePageTitle(view?.strategy);
  if (view === undefined)
    return problem === undefined ? (
      <p>{t.common.loading}</p>
    ) : isAbsent(problem) ? (
      <NotFound text={t.explore.gone} href="/explore" back={t.common.back} />
    ) : (
      <ProblemMessage problem={problem}>
        <Link href="/explore">{t.common.back}</Link>
      </ProblemMessage>
    );
  const { job, strategy, actors, stock, faults, counts, witness } = view;
  return (
    <>
      <div className="detail-head">
        <h2>
          <Link href={`/catalogue/${strategy}`}>{strategy}</Link> · {t.step.actors[actors] ?? actors} ·{' '}
          {t.common.stock} {stock} · {t.explore.faults}: {faultWords(faults, t.kinds) || t.common.none}
        </h2>
        <p className="actions">
          <CopyLink />
          <Link
            className="button"
            href={`/explore?${new URLSearchParams({ strategy, actors, faults }).toString()}`}
          >
            {t.common.back}
          </Link>
        </p>
      </div>
      <JobState
        job={job}
        isEarly={(counts?.schedules ?? 0) < LEAST_SCHEDULES}
        cancel={() => api.cancelExploration(id).then(replace)}
      />
      {goal !== undefined && <GoalLine {...goal} />}
      {counts !== undefined && <CountsView counts={counts} job={job} />}
      {witness !== undefined && <WitnessView witness={witness} strategy={strategy} />}
    </>
  );
}

const faultWords = (faults: string, kinds: Readonly<Record<string, string>>): string =>
  faults
    .split(',')
    .map((part) => {
      const [name = '', count] = part.split(':');
      return name === '' ? '' : `${labelOf(kinds, name)} ×${count ?? '1'}`;
    })
    .join(', ');

function useExploration(id: string): {
  view: ExplorationView | undefined;
  problem: ReturnType<typeof useLoaded>['problem'];
  replace: (view: ExplorationView) => void;
} {
  const [view, setView] = useState<ExplorationView>();
  const { value, problem } = useLoaded(`exploration ${id}`, () => api.exploration(id));
  useEffect(() => {
    if (value !== undefined) setView(value);
  }, [value]);
  useEvents(view === undefined || isOver(view.job) ? undefined : `explorations/${id}/events`, (event) => {
    setView((before) => before && { ...before, ...event });
  });
  return { view, problem, replace: setView };
}
