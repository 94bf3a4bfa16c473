import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan, Subtree } from './execution';
import { inTurnOn, Search, type Counted, type Limits } from './explorer';
import { ExploringThread, type PlanMessage } from './exploring-thread';
import { type WorldOptions, World } from '../world';
import type { Tally } from './tally';

/** Addresses of the servers: see `WorldOptions`. */
export type ServerSettings = Pick<WorldOptions, 'redis' | 'mysql' | 'servers'>;

/** What runs explorations: a pool, or one world. */
export type Explorer = Pick<WorkerPool, 'world' | 'explore' | 'begin'>;

/** Runs a search on, within these limits, and returns the tally of all its schedules so far. */
export type GoOn = (limits: Limits) => Promise<Tally>;

/** The pool's first Redis database. */
const FIRST_DB = 1;
const MAX_WORKERS = 8;

/** Subtrees that a thread has at a time: it runs one, and has received the next one. */
const SENT_AHEAD = 2;

/**
 * Worker threads that explore one plan together, each with its own schema, Redis database and connections. When run
 * from sources (in tests) there are no workers: all schedules run in this thread.
 */
export class WorkerPool {
  private constructor(
    /** For running and shrinking single schedules. */
    readonly world: World,
    private readonly threads: readonly ExploringThread[],
  ) {}

  /**
   * Opens a world for each thread. One pool can use a Redis at a time.
   *
   * @param count 0: no threads, for single schedules
   * @param id part of the schema names
   * @param redises one of its own for each thread: channels of pub/sub, and FLUSHALL, concern all databases of a server
   */
  static async open(
    servers: ServerSettings,
    count: number,
    id: string,
    redises: readonly string[] = [],
  ): Promise<WorkerPool> {
    const store = (i: number): { redisDb: number; schema: string } => ({
      redisDb: FIRST_DB + i,
      schema: `lab_explore_${id}_${i}`,
    });
    const file = join(__dirname, 'worker.js');
    const workers = existsSync(file) ? Math.min(count, MAX_WORKERS) : 0;
    const [world, ...threads] = await Promise.all([
      World.open({ ...servers, ...store(0) }),
      ...Array.from({ length: workers }, (_, i) =>
        ExploringThread.start(file, { ...servers, redis: redises[i] ?? servers.redis, ...store(i + 1) }),
      ),
    ]);
    return new WorkerPool(world, threads);
  }

  /** A pool without threads, on a world that is open. */
  static on(world: World): WorkerPool {
    return new WorkerPool(world, []);
  }

  get size(): number {
    return Math.max(1, this.threads.length);
  }

  /** As `explore`, with all threads. */
  explore(plan: Plan, limits: Limits = {}): Promise<Tally> {
    return this.begin(plan)(limits);
  }

  /** A search with all threads: each call runs it on, to a pause or to its end. One search of a pool runs at a time. */
  begin(plan: Plan): GoOn {
    const search = new Search(plan);
    if (this.threads.length === 0) return (limits) => search.run(inTurnOn(this.world, plan, limits), limits);
    return (limits) => {
      for (const thread of this.threads) thread.begin(messageOf(plan), limits.onStuck);
      const queue = new SubtreeQueue(this.threads, limits.signal);
      return search.run((subtrees) => queue.run(subtrees), limits);
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.world.close(), ...this.threads.map((thread) => thread.stop())]);
  }
}

/** The plan as the threads receive it. */
const messageOf = ({ setup: { strategy, ...setup }, ...plan }: Plan): PlanMessage => ({
  ...plan,
  setup: {
    ...setup,
    strategy: strategy.name,
    ...(strategy.module !== undefined && { module: strategy.module }),
  },
});

/** Subtrees that wait for a thread. After the first failure, or when the search is aborted, none is started. */
class SubtreeQueue {
  private readonly waiting: (() => void)[] = [];
  private failure: Error | undefined;

  constructor(
    private readonly threads: readonly ExploringThread[],
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Rejects after all of these subtrees have been answered. */
  async run(subtrees: readonly Subtree[]): Promise<readonly (Counted | undefined)[]> {
    const done = await Promise.all(subtrees.map((subtree) => this.runOne(subtree)));
    if (this.failure !== undefined) throw this.failure;
    return done;
  }

  private async runOne(subtree: Subtree): Promise<Counted | undefined> {
    let thread = this.freest;
    while (thread === undefined && !this.isOver) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
      thread = this.freest;
    }
    try {
      return this.isOver ? undefined : await thread?.run(subtree);
    } catch (error) {
      this.failure ??= error as Error;
      return undefined;
    } finally {
      this.waiting.shift()?.();
    }
  }

  /** The thread with the fewest subtrees. Undefined: all threads have enough. */
  private get freest(): ExploringThread | undefined {
    const [first] = this.threads.toSorted((a, b) => a.outstanding - b.outstanding);
    return first !== undefined && first.outstanding < SENT_AHEAD ? first : undefined;
  }

  private get isOver(): boolean {
    return this.failure !== undefined || this.signal?.aborted === true;
  }
}
