import { useEffect, useState } from 'react';
import { api } from '../api/client';
import { useGoals } from '../api/shared-lists';
import { isBeginning } from '../step/use-schedule';
import type { BeginBody, ExplorationView, Goal, GoalResult, RunView, StepView } from '../api/types';
import { isOver } from '../shared/job-state';
import { reach } from './progress';

export interface GoalState {
  readonly goal: Goal;
  /** What the server says of the proof that is shown; absent: nothing was proved yet. */
  readonly result?: GoalResult;
}

/** The schedule in which a goal of Step is tried. */
export const beginOf = ({ strategy, actors = '12' }: Goal): BeginBody => ({
  strategy,
  actors,
  stock: 1,
  options: {},
});

/**
 * The goal of a schedule. One that seems to reach it is sent to the server, which runs it again, but only when its last choice
 * was made in this tab: a link to a schedule is no answer. A schedule that continues one that has reached the goal has
 * reached it.
 */
export function useStepGoal(view: StepView, isMadeHere: boolean): GoalState | undefined {
  const { strategy, stock, actors, violations } = view;
  const [solution, setSolution] = useState<StepView>();
  const digits = actors.map(({ process }) => process).join('');
  const goal = useGoals()?.find(
    (one) => one.task === 'show' && one.strategy === strategy && one.actors === digits,
  );
  const isShown = isMadeHere && stock === 1 && violations.some(({ kind }) => kind === goal?.kind);
  const isContinued = solution !== undefined && isBeginning(solution.made, view.made);
  const shown = isContinued ? solution : isShown ? view : undefined;
  const result = useProof(goal, shown?.token, async (id) => {
    const checked = await api.proveGoal(id, { token: shown?.token ?? '' });
    if (checked.reached) setSolution(shown);
    return checked;
  });
  return goal && { goal, ...(result !== undefined && { result }) };
}

/** The goal of a load run that has ended; the server reads its verdict. */
export function useRunGoal(view: RunView | undefined): GoalState | undefined {
  const folder = view?.folder;
  const goal = useGoals()?.find((one) => one.task === 'run' && one.strategy === view?.plan.strategy);
  const result = useProof(goal, folder, (id) => api.proveGoal(id, { run: folder ?? '' }));
  return goal && { goal, ...(result !== undefined && { result }) };
}

/** The goal of an exploration; the server reads its counts. */
export function useProofGoal(view: ExplorationView | undefined): GoalState | undefined {
  const goal = useGoals()?.find(
    (one) =>
      one.task === 'prove' &&
      one.strategy === view?.strategy &&
      one.actors === view.actors &&
      (one.faults ?? '') === view.faults,
  );
  const done = view !== undefined && isOver(view.job) ? view.job.id : undefined;
  const result = useProof(goal, done, (id) => api.proveGoal(id, { exploration: done ?? '' }));
  return goal && { goal, ...(result !== undefined && { result }) };
}

/** Sends a proof once; `key` names it. Undefined: there is none. */
function useProof(
  goal: Goal | undefined,
  key: string | undefined,
  prove: (id: string) => Promise<GoalResult>,
): GoalResult | undefined {
  const [checked, setChecked] = useState<{ key: string; result: GoalResult }>();
  const id = goal?.id;
  useEffect(() => {
    if (id === undefined || key === undefined) return;
    prove(id).then(
      (result) => {
        setChecked({ key, result });
        if (result.reached) reach([id]);
      },
      () => undefined, // the console is away: the goal is checked again with the next proof
    );
  }, [id, key]);
  return checked !== undefined && checked.key === key ? checked.result : undefined;
}
