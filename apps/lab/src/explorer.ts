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
  readonly stack: Pick<Stack, 'pause' | 'resume'>;
  readonly stop: () => Promise<void>;
}

/** All workers explore one plan after the other. */
export type ExplorerSession = Session & { readonly pool: WorkerPool };

/** Each worker explores a plan of its own. */
export type ExplorersSession = Session & { readonly pools: readonly WorkerPool[] };

/** Starts the servers and a pool of workers. */
export async function openExplorer(
  context: Context,
  workers: number,
  strategies: readonly Pick<Protection, 'needs'>[],
): Promise<ExplorerSession> {
  const stack = await startServers(context, strategies);
  const pool = await WorkerPool.open(stack.urls, workers, String(process.pid));
  return { pool, ...(await sessionOf(stack, [pool])) };
}

/** Starts the servers and a pool for each worker. */
export async function openExplorers(
  context: Context,
  workers: number,
  strategies: readonly Pick<Protection, 'needs'>[],
): Promise<ExplorersSession> {
  const stack = await startServers(context, strategies);
  const pools = await WorkerPool.openMany(stack.urls, workers, String(process.pid));
  return { pools, ...(await sessionOf(stack, pools)) };
}

async function sessionOf(stack: Stack, pools: readonly WorkerPool[]): Promise<Session> {
  const workers = pools.reduce((sum, { size }) => sum + size, 0);
  return {
    stack,
    conditions: { ...(await stack.conditions()), workers, node: process.version },
    stop: async () => {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

/**
 * Starts servers that only run schedules, including those on demand that the strategies need. Durability is relaxed,
 * because a schedule never outlives its servers; the conditions record this.
 */
async function startServers(
  { progress, signal, onEnd }: Context,
  strategies: readonly Pick<Protection, 'needs'>[],
): Promise<Stack> {
  const components = componentsOf(strategies);
  const say = (line: string): void => {
    progress.say(line);
  };
  await prune(say);
  await ensureInstalled(say, components);
  const dir = join(projectRoot(), '.lab', `explore-${process.pid}`);
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
  refuseStraySteps();
  return stack;
}
