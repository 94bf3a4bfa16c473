import { actorsOf, type OwnSubject } from '#lab/own';
import type { FaultName } from '#lab/strategy';
import { budgetText, type Budget } from '../faults';
import { EXPLORE_OPTIONS, play, scheduleTokenOf, writeToken, type Played } from '../schedule';
import type { PromiseState } from './report-card';
import { SearchInTurns, turns, type Sharing } from './share-time';
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

/** The faults of a circumstance as its result has them. */
const faultsOf = (fault: FaultName | undefined): string =>
  budgetText(fault === undefined ? {} : { [fault]: 1 });

/** The results in the order of the circumstances: without a fault, then with each one. */
export const inOrder = (results: readonly SubjectResult[]): readonly SubjectResult[] =>
  CIRCUMSTANCES.flatMap((fault) => results.filter(({ faults }) => faults === faultsOf(fault)));

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
 * Explores a subject without a fault and with each one, within `budgetMs` in all: see `turns`. The results are in the order in which
 * they are known. Throws `NothingTested` when no actor returns in any schedule without a fault, or when none of their commands was
 * observed.
 */
export async function* exploreSubject(
  pool: WorkerPool,
  subject: OwnSubject,
  budgetMs: number,
  how: Exploring,
): AsyncGenerator<SubjectResult> {
  const { signal } = how;
  const limits = { ...how, signal: withTimeLimit(signal, budgetMs) };
  const all = CIRCUMSTANCES.map((fault) => new SubjectSearch(pool, subject, fault, limits));
  let isBroken = false;
  const resultOf = async (search: SubjectSearch): Promise<SubjectResult> => {
    const result = await search.result(isBroken);
    isBroken ||= result.state === 'broken';
    return result;
  };
  for (const { search, ms } of turns(all, budgetMs, signal)) {
    await search.run(ms);
    if (!search.isOpen()) yield await resultOf(search);
  }
  for (const search of all) if (search.isOpen() && !signal.aborted) yield await resultOf(search);
}

/** The exploration of a subject with one fault, or with none. */
class SubjectSearch implements Sharing<FaultName | undefined> {
  private readonly plan: Plan;
  private readonly faults: string;
  private readonly inTurns: SearchInTurns;

  constructor(
    private readonly pool: WorkerPool,
    subject: OwnSubject,
    private readonly fault: FaultName | undefined,
    private readonly how: Exploring,
  ) {
    this.plan = planOf(subject, fault === undefined ? {} : { [fault]: 1 });
    this.faults = faultsOf(fault);
    this.inTurns = new SearchInTurns(pool.begin(this.plan));
  }

  run(ms: number): Promise<void> {
    const { signal, max, onProgress } = this.how;
    return this.inTurns.run(ms, {
      enough: 0,
      signal,
      onProgress: ({ schedules }) => onProgress?.(this.faults, schedules),
      ...(max !== undefined && { max }),
    });
  }

  readonly isOpen = (): boolean => this.inTurns.isOpen();
  readonly questions = (): readonly (FaultName | undefined)[] => [this.fault];
  readonly remainingMs = (): number => this.inTurns.remainingMs(this.how.max);

  /** `isBroken`: another search has found a violation. */
  async result(isBroken: boolean): Promise<SubjectResult> {
    const { pool, plan, fault, faults } = this;
    const { tally, error } = this.inTurns;
    if (error !== undefined) {
      if (isBroken && isUnobservedCommand(error))
        // a violation that was found is one
        return { faults, schedules: 0, state: 'unknown', why: error.message };
      throw error;
    }
    const { schedules, applied } = tally;
    const thrown = fault === undefined && applied === 0 ? await errorIn(pool, plan) : undefined;
    if (thrown !== undefined) throw new NothingTested('no actor returns', thrown);
    if (fault === undefined && isBlind(tally))
      throw new NothingTested(
        'no command of the actors was observed',
        'use the clients that the functions receive',
      );
    const worst = worstWitness(tally);
    if (worst === undefined) return { faults, schedules, state: stateWithoutViolation(tally, fault) };
    const played = await shrinkWorst(pool.world, plan, tally, worst);
    const token = writeToken(scheduleTokenOf(plan.setup, played));
    return { faults, schedules, state: 'broken', witness: { token, played } };
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
