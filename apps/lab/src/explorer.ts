import { WorkerPool, refuseStraySteps } from '#lab/explore';
import { ensureInstalled, projectRoot, startProcesses, type Conditions, type Stack } from '#lab/stack';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { componentsOf, type Protection } from '#lab/strategy';
import type { Context } from './command';
import { prune } from './housekeeping';

interface Session {
  /** Versions and settings of the servers. */
  readonly conditions: Conditions;
  readonly stop: () => Promise<void>;
}

/** All workers explore one plan after the other. */
export type ExplorerSession = Session & {
  readonly pool: WorkerPool;
  readonly stack: Pick<Stack, 'pause' | 'resume'>;
};

/** Each worker explores a plan of its own. */
export type ExplorersSession = Session & { readonly pools: readonly WorkerPool[] };

/** Starts the servers and a pool of workers. */
export async function openExplorer(
  context: Context,
  workers: number,
  strategies: readonly Pick<Protection, 'needs'>[],
): Promise<ExplorerSession> {
  const [stack] = await startServers(context, strategies);
  const pool = await WorkerPool.open(stack.urls, workers, String(process.pid));
  return { pool, stack, ...(await sessionOf(stack, [pool])) };
}

/** Starts servers and a pool for each worker: workers that share servers wait for one another, and need a fifth more time. */
export async function openExplorers(
  context: Context,
  workers: number,
  strategies: readonly Pick<Protection, 'needs'>[],
): Promise<ExplorersSession> {
  const stacks = await startServers(context, strategies, workers);
  const opening = stacks.map(({ urls }, i) => WorkerPool.open(urls, 1, `${process.pid}_${i}`));
  const pools = await Promise.all(opening);
  return { pools, ...(await sessionOf(stacks[0], pools)) };
}

async function sessionOf(stack: Stack, pools: readonly WorkerPool[]): Promise<Session> {
  const workers = pools.reduce((sum, { size }) => sum + size, 0);
  return {
    conditions: { ...(await stack.conditions()), workers, node: process.version },
    stop: async () => {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

/**
 * Starts servers that only run schedules, including those on demand that the strategies need; `count` times. Durability is
 * relaxed, because a schedule never outlives its servers; the conditions record this.
 */
async function startServers(
  { progress, signal, onEnd }: Context,
  strategies: readonly Pick<Protection, 'needs'>[],
  count = 1,
): Promise<readonly [Stack, ...Stack[]]> {
  const components = componentsOf(strategies);
  const say = (line: string): void => {
    progress.say(line);
  };
  await prune(say);
  await ensureInstalled(say, components);
  const start = async (folder: string): Promise<Stack> => {
    const dir = join(projectRoot(), '.lab', folder);
    const stack = await startProcesses({
      dir,
      replicas: { order: 0, inventory: 0 },
      components,
      lab: true,
      durability: 'relaxed',
      signal,
    });
    onEnd(async () => {
      await stack.stop();
      rmSync(dir, { recursive: true, force: true });
    });
    return stack;
  };
  const name = `explore-${process.pid}`;
  const more = Array.from({ length: count - 1 }, (_, i) => `${name}-${i + 2}`);
  const starting = [start(name), ...more.map(start)] as const;
  await Promise.allSettled(starting); // when one start fails, the others have said how to end them
  refuseStraySteps();
  return Promise.all(starting);
}
