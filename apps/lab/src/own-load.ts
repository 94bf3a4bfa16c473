import { messageOf } from '#lab/step';
import type { Strategy } from '#lab/strategy';
import { componentsOf } from '#lab/strategy';
import { completePlan, measureHandOvers, runLoad, type HandOvers, type LoadRun } from '#load-tests/run';
import { join } from 'node:path';
import { projectRoot } from '#lab/stack';
import type { Context } from './command';
import { startLab } from './session';

/** A strategy on two replicas, beside a common one. */
export interface UnderLoad {
  /** More orders than units: is anything sold twice? */
  readonly run: LoadRun;
  /** The strategy first, then `PEER`, in the same lab. */
  readonly handOvers: readonly HandOvers[];
}

/** The strategy that hand-overs are compared with: a lock of one key with a token, in production code the most common one. */
const PEER = 'token-lua';
const REPEATS = 3;
/** Work between read and write, milliseconds: requests that a lock does not exclude meet there. */
const WORK_MS = 5;

/** The result under load, or why there is none: the explorations before it are worth a report in any case. */
export async function loadOrReason(
  context: Context,
  strategy: Strategy,
  file: string | undefined,
): Promise<{ readonly load?: UnderLoad; readonly loadFailure?: string }> {
  try {
    return { load: await runUnderLoad(context, strategy, file) };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { loadFailure: messageOf(error) };
  }
}

/** Starts a lab of two replicas that have loaded the file, if there is one, runs the loads, and stops it. */
async function runUnderLoad(
  { progress, signal, onEnd }: Context,
  strategy: Strategy,
  file: string | undefined,
): Promise<UnderLoad> {
  const components = componentsOf([strategy]);
  const strategyFiles = new Map(file === undefined ? [] : [[strategy.name, file] as const]);
  const lab = await startLab(join(projectRoot(), '.lab', `verify-${process.pid}`), {
    progress,
    signal,
    components,
    strategyFiles,
  });
  onEnd(lab.stop);
  const observer = {
    signal,
    progress: (text: string): void => {
      progress.update(`under load: ${text}`);
    },
  };
  const plan = completePlan({ strategy: strategy.name, options: { workMs: WORK_MS } });
  const run = await runLoad(lab.target, lab.control, plan, observer);
  const compared = strategy.name === PEER ? [PEER] : [strategy.name, PEER];
  const handOvers = await measureHandOvers(lab.target, lab.control, compared, {
    ...observer,
    repeats: REPEATS,
  });
  return { run, handOvers };
}
