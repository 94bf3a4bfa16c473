import { WorkerPool, refuseStraySteps } from '#lab/explore';
import {
  ensureInstalled,
  projectRoot,
  ServerPark,
  startOwnServers,
  type Conditions,
  type OwnServers,
  type Stack,
} from '#lab/stack';
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
  const redises = workers > 1 ? await startRedises(context, workers) : [];
  const pool = await WorkerPool.open(stack.urls, workers, String(process.pid), redises);
  return { pool, stack, ...(await sessionOf(stack, [pool])) };
}

/**
 * Starts servers and a pool for each worker. Two workers that share a Redis wait for one another: on two processors they run
 * 12 % fewer schedules/s.
 */
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

/** Starts servers that only run schedules, including those on demand that the strategies need; `count` times. */
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
  const start = (prefix: string): OwnServers =>
    startOwnServers(join(projectRoot(), '.lab', `${prefix}-${process.pid}`), { components, signal });
  const first = start('explore');
  const others = Array.from({ length: count - 1 }, (_, i) => start(`explore-${i + 2}`));
  onEnd(async () => {
    await Promise.all([first, ...others].map((servers) => servers.stop()));
  });
  refuseStraySteps();
  return Promise.all([first.started, ...others.map(({ started }) => started)]);
}

/** Starts further Redis servers, one for each worker. */
async function startRedises({ onEnd }: Context, count: number): Promise<readonly string[]> {
  const dir = join(projectRoot(), '.lab', `explore-redis-${process.pid}`);
  const park = await ServerPark.open(dir);
  onEnd(async () => {
    await park.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const started = Array.from({ length: count }, (_, i) => park.redis(`redis-${i + 1}`));
  return (await Promise.all(started)).map(({ url }) => url);
}
