import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Plan, Subtree } from './execution';
import { explore, search, type Counted, type Limits } from './explorer';
import { Pulse, afterText, type Whereabouts, type WorldOptions, World } from '../world';
import type { Tally } from './tally';

/** Addresses of the servers: see `WorldOptions`. */
export type ServerSettings = Pick<WorldOptions, 'redis' | 'mysql' | 'servers'>;

/** A plan as a message: the strategy by name, and by file when it is not in the catalogue. */
export type PlanMessage = Omit<Plan, 'setup'> & {
  readonly setup: Omit<Plan['setup'], 'strategy'> & {
    readonly strategy: string;
    readonly module?: string;
  };
};

/** What runs explorations: a pool, or one world. */
export type Explorer = Pick<WorkerPool, 'world' | 'explore'>;

/** The plan that the next subtrees belong to, or a subtree of it. */
export type WorkMessage = { readonly plan: PlanMessage } | { readonly subtree: Subtree };

/** The result; or the error. */
export type DoneMessage = Counted | { readonly error: string; readonly name: string; readonly stack: string };

/** The pool's first Redis database. */
const FIRST_DB = 1;
const MAX_WORKERS = 8;

/**
 * Worker threads that explore one plan together, each with its own schema, Redis database and connections. When run
 * from sources (in tests) there are no workers: all schedules run in this thread.
 */
export class WorkerPool {
  private constructor(
    /** For running and shrinking single schedules. */
    readonly world: World,
    private readonly workers: readonly ExploringThread[],
  ) {}

  /**
   * `id` is part of the schema names: two pools on one server need different ids, and different databases of Redis, from `firstDb`
   * on. `count` 0: no threads, for single schedules.
   */
  static async open(
    servers: ServerSettings,
    count: number,
    id: string,
    firstDb = FIRST_DB,
  ): Promise<WorkerPool> {
    const store = (i: number): { redisDb: number; schema: string } => ({
      redisDb: firstDb + i,
      schema: `lab_explore_${id}_${i}`,
    });
    const file = join(__dirname, 'worker.js');
    const workers = existsSync(file) ? Math.min(count, MAX_WORKERS) : 0;
    const [world, ...threads] = await Promise.all([
      World.open({ ...servers, ...store(0) }),
      ...Array.from({ length: workers }, (_, i) => startWorker(file, { ...servers, ...store(i + 1) })),
    ]);
    return new WorkerPool(world, threads);
  }

  /** Pools of one thread each, for explorations that run at the same time. */
  static openMany(servers: ServerSettings, count: number, id: string): Promise<WorkerPool[]> {
    const pools = Array.from({ length: count }, (_, i) =>
      WorkerPool.open(servers, 1, `${id}_${i}`, FIRST_DB + 2 * i),
    );
    return Promise.all(pools);
  }

  /** A pool without threads, on a world that is open. */
  static on(world: World): WorkerPool {
    return new WorkerPool(world, []);
  }

  get size(): number {
    return Math.max(1, this.workers.length);
  }

  /** As `explore`, with all workers. */
  async explore(plan: Plan, limits: Limits = {}): Promise<Tally> {
    if (this.workers.length === 0) return explore(this.world, plan, limits);
    const { strategy, ...setup } = plan.setup;
    const message: PlanMessage = {
      ...plan,
      setup: {
        ...setup,
        strategy: strategy.name,
        ...(strategy.module !== undefined && { module: strategy.module }),
      },
    };
    for (const { thread } of this.workers) thread.postMessage({ plan: message } satisfies WorkMessage);
    return search(plan, (subtrees) => this.runBatch(subtrees, limits), limits);
  }

  /** Runs a batch with all workers. Rejects after all of them have answered: later batches must not receive the answers. */
  private async runBatch(
    subtrees: readonly Subtree[],
    { signal, onStuck }: Limits,
  ): Promise<readonly (Counted | undefined)[]> {
    const done = subtrees.map((): Counted | undefined => undefined);
    const waiting = subtrees.entries();
    let failure: Error | undefined;
    const isOver = (): boolean => failure !== undefined || signal?.aborted === true;
    const work = async (worker: ExploringThread): Promise<void> => {
      for (const [i, subtree] of waiting) {
        if (isOver()) return;
        try {
          done[i] = await ask(worker, subtree, onStuck);
        } catch (error) {
          failure ??= error as Error;
        }
      }
    };
    await Promise.all(this.workers.map(work));
    if (failure !== undefined) throw failure;
    return done;
  }

  async close(): Promise<void> {
    await Promise.all([this.world.close(), ...this.workers.map(({ thread }) => stopWorker(thread))]);
  }
}

/** A worker thread and its sign of life. */
interface ExploringThread {
  readonly thread: Worker;
  readonly pulse: Pulse;
}

function startWorker(file: string, options: object): Promise<ExploringThread> {
  const pulse = new Pulse();
  const thread = new Worker(file, { workerData: { ...options, pulse: pulse.memory } });
  return new Promise((resolve, reject) => {
    thread.once('message', () => {
      resolve({ thread, pulse });
    });
    thread.once('error', reject);
  });
}

/** Milliseconds between two looks at a busy thread. */
const LOOK_MS = 250;
/** Looks in a row that find no beat before it is said; before the thread is ended. */
const SAID_AFTER = 6;
const ENDED_AFTER = 40;

/**
 * Calls `onStuck` when the event loop of a thread does not turn, and `onEnd` when it still does not much later. Counts looks,
 * not time: a process that was stopped finds its threads as they were.
 */
function watch(
  pulse: Pulse,
  onStuck: (where: Whereabouts) => void,
  onEnd: (where: Whereabouts) => void,
): NodeJS.Timeout {
  let seen = pulse.beats;
  let silent = 0;
  return setInterval(() => {
    const { beats, whereabouts } = pulse;
    silent = beats === seen ? silent + 1 : 0;
    seen = beats;
    if (whereabouts === undefined) return;
    if (silent === SAID_AFTER) onStuck(whereabouts);
    if (silent === ENDED_AFTER) onEnd(whereabouts);
  }, LOOK_MS);
}

/**
 * Rejects when the worker dies, because an error in a strategy's own timer, which no request awaits, ends its thread, and
 * when its code loops without end.
 */
function ask(
  { thread: worker, pulse }: ExploringThread,
  subtree: Subtree,
  onStuck: (where: Whereabouts) => void = () => undefined,
): Promise<Counted> {
  let watching: NodeJS.Timeout | undefined;
  return new Promise<Counted>((resolve, reject) => {
    const died = (error?: unknown): void => {
      const why = error instanceof Error ? (error.stack ?? error.message) : 'its thread has ended';
      reject(new WorkerDied(why));
    };
    if (hasEnded(worker)) {
      died();
      return;
    }
    worker.once('message', (done: DoneMessage) => {
      worker.off('error', died).off('exit', died);
      if ('error' in done)
        reject(Object.assign(new Error(done.error), { name: done.name, stack: done.stack }));
      else resolve(done);
    });
    worker.once('error', died).once('exit', died);
    watching = watch(pulse, onStuck, (where) => {
      worker.off('error', died).off('exit', died);
      reject(new EndlessLoop(where));
      void worker.terminate();
    });
    worker.postMessage({ subtree } satisfies WorkMessage);
  }).finally(() => {
    clearInterval(watching);
  });
}

/** The code of an actor loops without waiting for anything, so that nothing else runs in its thread. */
export class EndlessLoop extends Error {
  readonly code = 'EXPLORE.ENDLESS_LOOP';

  constructor(where: Whereabouts) {
    super(
      `${stuckText(where)}: its code loops without awaiting anything, and the search was ended. Await a timer or a command in the loop, so that other actors can run`,
    );
    this.name = 'EndlessLoop';
  }
}

/** `A does not return after "SET lock:{item}:setnx"`. */
export const stuckText = ({ actor, after }: Whereabouts): string =>
  `${actor} does not return ${afterText(after)}`;

export class WorkerDied extends Error {
  constructor(why: string) {
    super(
      `an explorer worker died, so the search is incomplete. Look for a timer or promise of the strategy that its request does not await: ${why}`,
    );
    this.name = 'WorkerDied';
  }
}

/** A terminated worker has this id. */
const hasEnded = ({ threadId }: Worker): boolean => threadId === -1;

/** Milliseconds that a stopping worker has to close its connections. */
const CLOSE_MS = 3000;

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (hasEnded(worker)) {
      resolve();
      return;
    }
    const tooLate = setTimeout(() => void worker.terminate(), CLOSE_MS);
    worker.once('exit', () => {
      clearTimeout(tooLate);
      resolve();
    });
    worker.postMessage('stop');
  });
}
