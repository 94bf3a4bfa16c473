import { ensureInstalled, projectRoot, startProcesses } from '#lab/stack';
import { componentsOf } from '#lab/strategy';
import {
  ActionTarget,
  faultLabel,
  Gateway,
  runGuard,
  type GuardRow,
  type GuardRun,
} from '#load-tests/guards';
import { labOf } from '#load-tests/run';
import { join } from 'node:path';
import type { Context } from './command';
import { prune } from './housekeeping';
import { loadLine } from './print/guards';

/** Runs each row `repeats` times on a lab of its own, and returns the runs of each row. */
export async function loadGuards(
  rows: readonly GuardRow[],
  repeats: number,
  { progress, signal, onEnd }: Context,
): Promise<readonly (readonly GuardRun[])[]> {
  const say = (line: string): void => {
    progress.say(line);
  };
  await prune(say);
  const components = componentsOf(rows.map(({ guard }) => guard));
  await ensureInstalled(say, components);
  const stack = await startProcesses({
    dir: join(projectRoot(), '.lab', `guards-${process.pid}`),
    replicas: { order: 1, inventory: 0, account: 2 },
    components,
    lab: true,
    signal,
    onProgress: say,
  });
  onEnd(() => stack.stop());
  const target = new ActionTarget(stack.urls.public, stack.urls.lab ?? stack.urls.public);
  onEnd(() => target.close());
  const { gateway: url } = stack.urls.servers;
  const lab = {
    target,
    control: labOf(stack).control,
    gateway: url === undefined ? undefined : new Gateway(stack, url),
  };
  const all: GuardRun[][] = [];
  for (const [i, row] of rows.entries()) {
    const label = `[${i + 1}/${rows.length}]`;
    const runs: GuardRun[] = [];
    for (let n = 1; n <= repeats; n++) {
      signal.throwIfAborted();
      progress.update(`${label} ${row.guard.name}, ${faultLabel(row)}: run ${n} of ${repeats}`);
      runs.push(await runGuard(lab, row, signal));
    }
    all.push(runs);
    say(`${label} ${loadLine(runs)}`);
  }
  return all;
}

/** A run as JSON: the guard by its name. */
export const guardJson = ({ row: { guard, ...row }, ...run }: GuardRun): object => ({
  guard: guard.name,
  ...row,
  ...run,
});
