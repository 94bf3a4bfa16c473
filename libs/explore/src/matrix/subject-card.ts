import { actorsOf, type OwnSubject } from '#lab/own';
import { budgetText, type Budget } from '../faults';
import { EXPLORE_OPTIONS, play, scheduleTokenOf, shrink, writeToken, type Played } from '../schedule';
import { withTimeLimit, worstWitness, type Limits, type Plan, type Tally, type WorkerPool } from '../search';

/** What a subject is explored with, one after the other. */
const BUDGETS: readonly Budget[] = [
  {},
  { kill: 1 },
  { 'lose-reply': 1 },
  { error: 1 },
  { lapse: 1 },
  { pause: 1 },
  { flush: 1 },
];

/** What the exploration of a subject with one fault has found. */
export interface SubjectResult {
  /** `kill:1`; empty: no fault. */
  readonly faults: string;
  readonly schedules: number;
  /** `broken`: a schedule violates an invariant. `kept`: every schedule was run, and none does. `unknown`: neither. */
  readonly state: 'kept' | 'broken' | 'unknown';
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

  constructor(text: string) {
    super(`no actor returns in any schedule, so that nothing is tested: ${text}`);
    this.name = 'NothingTested';
  }
}

/**
 * Explores a subject without a fault and with each one, within `budgetMs` in all. Throws `NothingTested` when no actor returns in
 * any schedule without a fault.
 */
export async function* exploreSubject(
  pool: WorkerPool,
  subject: OwnSubject,
  budgetMs: number,
  { signal, max, onProgress }: Exploring,
): AsyncGenerator<SubjectResult> {
  const until = performance.now() + budgetMs;
  for (const [i, budget] of BUDGETS.entries()) {
    if (signal.aborted) return;
    const plan = planOf(subject, budget);
    const share = (until - performance.now()) / (BUDGETS.length - i);
    const faults = budgetText(budget);
    const tally = await pool.explore(plan, {
      enough: 0,
      signal: withTimeLimit(signal, Math.max(1, share)),
      onProgress: ({ schedules }) => onProgress?.(faults, schedules),
      ...(max !== undefined && { max }),
    });
    const { schedules, applied } = tally;
    const error = i === 0 && applied === 0 ? await errorIn(pool, plan) : undefined;
    if (error !== undefined) throw new NothingTested(error);
    const worst = worstWitness(tally);
    if (worst === undefined) {
      yield { faults, schedules, state: isProof(tally, budget) ? 'kept' : 'unknown' };
      continue;
    }
    const played = await shrink(pool.world, plan, worst.witness.choices, worst.kind);
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

/** Every schedule was run. A fault that cannot occur, because there is nothing that it could hit, breaks nothing. */
const isProof = ({ partial, schedules }: Tally, budget: Budget): boolean =>
  !partial && (schedules > 0 || Object.keys(budget).length > 0);

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
