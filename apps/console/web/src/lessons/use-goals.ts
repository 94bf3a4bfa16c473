import { useEffect, useState } from 'react';
import { api } from '../api/client';
import { useReachable } from '../api/connection';
import { useGoals } from '../api/shared-lists';
import { isBeginning } from '../step/use-schedule';
import type { BeginBody, ExplorationView, Goal, GoalResult, RunView, StepView } from '../api/types';
import { isOver } from '../shared/job-state';
import { reach } from './progress';

export interface GoalState {
  readonly goal: Goal;
  /** What the server says of the proof that is shown; absent: nothing was proved yet. */
  readonly result?: GoalResult;
  /** Present: the proof could not be checked; sends it again. */
  readonly checkAgain?: () => void;
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
  const checked = useProof(goal, shown?.token, async (id) => {
    const result = await api.proveGoal(id, { token: shown?.token ?? '' });
    if (result.reached) setSolution(shown);
    return result;
  });
  return goal && { goal, ...checked };
}

/** The goal of a load run that has ended; the server reads its verdict. */
export function useRunGoal(view: RunView | undefined): GoalState | undefined {
  const folder = view?.folder;
  const goal = useGoals()?.find((one) => one.task === 'run' && one.strategy === view?.plan.strategy);
  const checked = useProof(goal, folder, (id) => api.proveGoal(id, { run: folder ?? '' }));
  return goal && { goal, ...checked };
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
  const checked = useProof(goal, done, (id) => api.proveGoal(id, { exploration: done ?? '' }));
  return goal && { goal, ...checked };
}

/**
 * Sends a proof, whose name is `key`, until the server has checked it: again when the console answers again after it was
 * unreachable, or when the reader asks for it. A proof that could not be checked remains so until the answer arrives.
 */
function useProof(
  goal: Goal | undefined,
  key: string | undefined,
  prove: (id: string) => Promise<GoalResult>,
): Omit<GoalState, 'goal'> {
  const isReachable = useReachable();
  const [turn, setTurn] = useState(0);
  const [sent, setSent] = useState<{ key: string; result?: GoalResult }>();
  const id = goal?.id;
  const checkAgain = (): void => {
    setTurn((before) => before + 1);
  };
  useEffect(() => {
    if (id === undefined || key === undefined) return;
    let isCurrent = true;
    prove(id).then(
      (result) => {
        setSent({ key, result });
        if (result.reached) reach([id]);
      },
      () => {
        if (isCurrent) setSent({ key });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [id, key, turn]);
  const isUnchecked = sent !== undefined && sent.key === key && sent.result === undefined;
  useEffect(() => {
    if (isReachable && isUnchecked) checkAgain();
  }, [isReachable]);
  if (isUnchecked) return { checkAgain };
  return sent?.key === key && sent?.result !== undefined ? { result: sent.result } : {};
}
