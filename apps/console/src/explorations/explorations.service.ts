import {
  countAllOrders,
  isUncounted,
  nextThatPasses,
  parseBudget,
  play,
  shrink,
  stuckText,
  withTimeLimit,
  workMsFor,
  worstWitness,
  type OrderCounts,
  type Plan,
  type Tally,
  type WorkerPool,
} from '#lab/explore';
import { harmOf } from '#lab/verdict';
import { Injectable, type MessageEvent } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { assertMayCancel, teacherOnly, type Member } from '../classroom';
import { Jobs, type JobContext, type QueuedJob } from '../jobs';
import { setupOf } from '../steps/setup';
import { Explorer } from './explorer';
import { KeptExplorations } from './kept-explorations';
import { countsOf, witnessOf, type Counts, type WitnessView } from './exploration-view';
import type { ExplorationBody, ExplorationEvent, ExplorationView } from './schemas';

/** An exploration with what it has found so far. */
interface Exploration {
  readonly job: QueuedJob<ExplorationEvent>;
  readonly wanted: ExplorationBody;
  readonly by: Member;
  counts?: Counts;
  witness?: WitnessView;
}

/** Between two reports of the counts, milliseconds. */
const REPORT_MS = 200;
/** All jobs of a class wait in one queue. */
const MAX_SECONDS_OF_STUDENTS = 60;

@Injectable()
export class ExplorationsService {
  private readonly explorations = new Map<string, Exploration>();

  constructor(
    private readonly jobs: Jobs,
    private readonly explorer: Explorer,
    private readonly kept: KeptExplorations,
  ) {}

  /** Queues an exploration. Throws `UnknownStrategy`, `FaultsSyntaxError`, or a problem when too many jobs wait. */
  start(wanted: ExplorationBody, by: Member): ExplorationView {
    if (!by.isTeacher && wanted.seconds > MAX_SECONDS_OF_STUDENTS)
      throw teacherOnly(
        'seconds',
        `the class waits meanwhile: explore for at most ${MAX_SECONDS_OF_STUDENTS} seconds`,
      );
    const plan = planOf(wanted);
    const job = this.jobs.add<ExplorationEvent>(
      { kind: 'exploration', title: titleOf(wanted), by },
      (context) =>
        this.explorer.use(plan.setup.strategy, (pool) => this.explore(pool, plan, exploration, context)),
    );
    const exploration: Exploration = { job, wanted, by };
    this.explorations.set(job.id, exploration);
    this.jobs.forget(this.explorations);
    return view(exploration);
  }

  /** Also one of an earlier console, if it was kept. Throws a problem when there is none. */
  find(id: string): ExplorationView {
    const earlier = this.explorations.has(id) ? undefined : this.kept.find(id);
    return earlier ?? view(this.jobs.in(this.explorations, id));
  }

  /** Keeps an exploration that has proved a goal, also after a restart. Throws when it cannot be written. */
  keep(found: ExplorationView): void {
    this.kept.keep(found);
  }

  cancel(id: string, member: Member): ExplorationView {
    const exploration = this.jobs.in(this.explorations, id);
    assertMayCancel(member, exploration.by);
    this.jobs.cancel(exploration.job, member);
    return view(exploration);
  }

  events(id: string, member: Member, lastId: number): Observable<MessageEvent> {
    return this.jobs.eventsFor(this.jobs.in(this.explorations, id).job, member, lastId);
  }

  private async explore(
    pool: WorkerPool,
    plan: Plan,
    exploration: Exploration,
    { signal, progress, emit }: JobContext<ExplorationEvent>,
  ): Promise<void> {
    const { seconds } = exploration.wanted;
    const begun = performance.now();
    let reported = -Infinity;
    let perSecond = 0;
    const report = (tally: Tally, open: number, orders?: OrderCounts): void => {
      if (orders === undefined) perSecond = (tally.schedules * 1000) / Math.max(1, performance.now() - begun);
      exploration.counts = { ...countsOf(plan, tally, open, orders), perSecond };
      emit({ counts: exploration.counts });
      progress({ text: 'searching', done: exploration.counts.searched, of: 1 });
      reported = performance.now();
    };
    let first: Promise<void> | undefined;
    const showWitness = (witness: WitnessView): void => {
      exploration.witness = witness;
      emit({ witness });
    };
    const tally = await pool.explore(plan, {
      signal: withTimeLimit(signal, seconds * 1000),
      onProgress: (found, open) => {
        if (performance.now() - reported >= REPORT_MS) report(found, open);
        first ??= firstWitness(pool, plan, found)?.then(showWitness);
      },
      onStuck: (where) => {
        progress({ text: stuckText(where), done: 0 });
      },
    });
    report(tally, 0);
    await first;
    const worst = worstWitness(tally);
    if (worst === undefined || signal.aborted) return;
    progress({ text: 'shortening the schedule', done: 1, of: 1 });
    const played = await shrink(pool.world, plan, worst.witness.choices, worst.kind);
    const passes =
      harmOf(worst.kind) === 'lock-broken'
        ? undefined
        : await nextThatPasses(pool.world, plan.setup, played.choices);
    showWitness(witnessOf(plan, worst.kind, played, passes?.name));
    if (!exploration.by.isTeacher || !isUncounted(tally)) return; // the class waits meanwhile
    progress({ text: 'counting all orders of steps', done: 1, of: 1 });
    const orders = await countAllOrders(pool, plan, { signal: withTimeLimit(signal, seconds * 1000) });
    if (orders !== undefined) report(tally, 0, orders);
  }
}

/** The first schedule with a violation, while the search continues; undefined: there is none yet. */
function firstWitness(pool: WorkerPool, plan: Plan, tally: Tally): Promise<WitnessView> | undefined {
  const worst = worstWitness(tally);
  return worst === undefined
    ? undefined
    : play(pool.world, plan.setup, worst.witness.choices, { strict: true }).then((played) =>
        witnessOf(plan, worst.kind, played),
      );
}

function planOf({ faults, ...chosen }: ExplorationBody): Plan {
  const budget = parseBudget(faults);
  const options = { ...chosen.options, workMs: chosen.options.workMs ?? workMsFor(budget) };
  return { setup: setupOf({ ...chosen, options }), budget, faultPlaces: {}, reduce: true };
}

/** The strategy, with its faults. */
const titleOf = ({ strategy, faults }: ExplorationBody): string =>
  faults === '' ? strategy : `${strategy} · ${faults}`;

const view = ({ job, wanted, counts, witness }: Exploration): ExplorationView => ({
  job: job.view(),
  strategy: wanted.strategy,
  actors: wanted.actors,
  stock: wanted.stock,
  faults: wanted.faults,
  ...(counts !== undefined && { counts }),
  ...(witness !== undefined && { witness }),
});
