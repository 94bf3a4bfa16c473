import { problem, ProblemError } from '#lab/http';
import { assertCanFire, completePlan, parseFaultOn, type LoadPlan } from '#load-tests/run';
import type { RunBody } from './schemas';

/** The plan of a request. Throws as `completePlan` and `assertCanFire` do, or a problem. */
export function planOf({ options, fault, faultOn, ...chosen }: RunBody): LoadPlan {
  const on = parseFaultOn(faultOn);
  if (on === undefined || (fault === undefined && on.kind !== 'first'))
    throw new ProblemError(
      problem('REQUEST.INVALID', `faultOn ${faultOn}: write first, nth=N or every=N, together with a fault`),
    );
  const plan = completePlan({
    ...chosen,
    options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    ...(fault !== undefined && { fault: { header: fault, on } }),
  });
  assertCanFire(plan);
  return plan;
}

/** It has a fault: this hits the replicas that a class shares. */
export const isForTeacher = ({ fault, down }: Pick<LoadPlan, 'fault' | 'down'>): boolean =>
  fault !== undefined || down !== undefined;
