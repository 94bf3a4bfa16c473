import { actorsOf, type OwnSubject } from '#lab/own';
import type { FaultName } from '#lab/strategy';
import { budgetText, type Budget } from '../faults';
import { EXPLORE_OPTIONS, play, scheduleTokenOf, writeToken, type Played } from '../schedule';
import type { PromiseState } from './report-card';
import {
  isBlind,
  shrinkWorst,
  withTimeLimit,
  worstWitness,
  type Limits,
  type Plan,
  type Tally,
  type WorkerPool,
} from '../search';
import { isUnobservedCommand } from '../world';

/** The fault of each exploration of a subject, one after the other. Undefined: none. */
const CIRCUMSTANCES = [undefined, 'kill', 'lose-reply', 'error', 'lapse', 'pause', 'flush'] as const;

/** What the exploration of a subject with one fault has found. */
export interface SubjectResult {
  /** `kill:1`; empty: no fault. */
  readonly faults: string;
  readonly schedules: number;
  /**
   * `broken`: a schedule violates an invariant. `kept`: every schedule was run, and none does. `not-applicable`: every schedule was
   * run, and the fault occurs in none. `unknown`: none of these.
   */
  readonly state: PromiseState;
  /** Why the state is `unknown`, where that is not the time. */
  readonly why?: string;
  /** The shortest schedule that breaks something, and its token. */
  readonly witness?: { readonly token: string; readonly played: Played };
}

type Exploring = Pick<Limits, 'max'> & {
  readonly signal: AbortSignal;
  readonly onProgress?: (faults: string, schedules: number) => void;
};

/** An invariant that holds because no actor did anything proves nothing. */
export class NothingTested extends Error {
  readonly code = 'VERIFY.NOTHING_TESTED';

  constructor(what: string, why: string) {
    super(`${what} in any schedule, so that nothing is tested: ${why}`);
    this.name = 'NothingTested';
  }
}

/**
 * Explores a subject without a fault and with each one, within `budgetMs` in all. Throws `NothingTested` when no actor returns in
 * any schedule without a fault, or when none of their commands was observed.
 */
export async function* exploreSubject(
  pool: WorkerPool,
  subject: OwnSubject,
  budgetMs: number,
  { signal, max, onProgress }: Exploring,
): AsyncGenerator<SubjectResult> {
  const until = performance.now() + budgetMs;
  let isBroken = false;
  for (const [i, fault] of CIRCUMSTANCES.entries()) {
    if (signal.aborted) return;
    const budget: Budget = fault === undefined ? {} : { [fault]: 1 };
    const plan = planOf(subject, budget);
    const share = (until - performance.now()) / (CIRCUMSTANCES.length - i);
    const faults = budgetText(budget);
    const exploring = pool.explore(plan, {
      enough: 0,
      signal: withTimeLimit(signal, Math.max(1, share)),
      onProgress: ({ schedules }) => onProgress?.(faults, schedules),
      ...(max !== undefined && { max }),
    });
    const tally = await exploring.catch((error: unknown) => {
      if (isBroken && isUnobservedCommand(error)) return error.message; // a violation that was found is one
      throw error;
    });
    if (typeof tally === 'string') {
      yield { faults, schedules: 0, state: 'unknown', why: tally };
      continue;
    }
    const { schedules, applied } = tally;
    const error = i === 0 && applied === 0 ? await errorIn(pool, plan) : undefined;
    if (error !== undefined) throw new NothingTested('no actor returns', error);
    if (i === 0 && isBlind(tally))
      throw new NothingTested(
        'no command of the actors was observed',
        'use the clients that the functions receive',
      );
    const worst = worstWitness(tally);
    if (worst === undefined) {
      yield { faults, schedules, state: stateWithoutViolation(tally, fault) };
      continue;
    }
    const played = await shrinkWorst(pool.world, plan, tally, worst);
    isBroken = true;
    const token = writeToken(scheduleTokenOf(plan.setup, played));
    yield { faults, schedules, state: 'broken', witness: { token, played } };
  }
}

/** Why an actor throws in the first schedule; undefined: none does. */
async function errorIn({ world }: WorkerPool, plan: Plan): Promise<string | undefined> {
  const { history } = await play(world, plan.setup, [], { strict: false });
  const [end] = history.events.flatMap((event) => (event.type === 'end' ? [event.text] : []));
  return end;
}

/** The state of a circumstance that no schedule breaks. */
function stateWithoutViolation({ partial, schedules, fired }: Tally, fault?: FaultName): PromiseState {
  if (partial) return 'unknown';
  if (fault !== undefined) return fired.has(fault) ? 'kept' : 'not-applicable';
  return schedules > 0 ? 'kept' : 'unknown';
}

const planOf = (subject: OwnSubject, budget: Budget): Plan => ({
  setup: {
    strategy: subject,
    options: EXPLORE_OPTIONS,
    stock: 0,
    processes: actorsOf(subject.definition).map(({ process }) => process),
  },
  budget,
  faultPlaces: {},
  reduce: true,
});
