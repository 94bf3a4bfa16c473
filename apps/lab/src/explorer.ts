import { WorkerPool, refuseStraySteps } from '#lab/explore';
import { ensureInstalled, projectRoot, startProcesses, type Conditions, type Stack } from '#lab/stack';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { componentsOf, type Protection } from '#lab/strategy';
import type { Context } from './command';
import { prune } from './housekeeping';

export interface ExplorerSession {
  readonly pool: WorkerPool;
  /** Versions and settings of the servers. */
  readonly conditions: Conditions;
  readonly stack: Pick<Stack, 'pause' | 'resume'>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts servers that only run schedules, including those on demand that the strategies need, and a pool of workers.
 * Durability is relaxed, because a schedule never outlives its servers; the conditions record this.
 */
export async function openExplorer(
  { progress, signal, onEnd }: Context,
  workers: number,
  strategies: readonly Pick<Protection, 'needs'>[],
): Promise<ExplorerSession> {
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
  const pool = await WorkerPool.open(stack.urls, workers, String(process.pid));
  return {
    pool,
    stack,
    conditions: { ...(await stack.conditions()), workers: pool.size, node: process.version },
    stop: () => pool.close(),
  };
}
