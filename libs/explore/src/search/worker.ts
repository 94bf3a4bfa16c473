import { parentPort, workerData } from 'node:worker_threads';
import type { DoneMessage, PlanMessage, WorkMessage } from './exploring-thread';
import type { Plan, Subtree } from './execution';
import { runAndCount, type Counted } from './explorer';
import { refuseStraySteps, loadExplored, Realm } from '../actors';
import { findExplored, type WorldOptions, World } from '../world';

const BEAT_MS = 100;

/** Worker thread of `WorkerPool`: explores subtrees on its own world. */
async function main(): Promise<void> {
  refuseStraySteps();
  const world = await World.open(workerData as WorldOptions);
  let message: PlanMessage | undefined;
  let plan: Plan | undefined; // loaded with the first subtree, so that an error is its answer
  const runSubtree = async (subtree: Subtree): Promise<Counted> => {
    if (message === undefined) throw new Error('a subtree arrived before its plan');
    plan ??= planOf(message);
    return runAndCount(world, plan, subtree);
  };
  const answer = (done: DoneMessage): void => {
    parentPort?.postMessage(done);
  };
  let last: Promise<unknown> = Promise.resolve(); // the world runs one schedule at a time
  parentPort?.on('message', (work: WorkMessage | 'stop') => {
    if (work === 'stop') {
      void world.close().finally(() => process.exit());
      return;
    }
    if ('plan' in work) {
      message = work.plan;
      plan = undefined;
      return;
    }
    last = last
      .then(() => runSubtree(work.subtree).then(answer))
      .catch((error: unknown) => {
        answer(failureOf(error));
      });
  });
  setInterval(() => {
    world.pulse.beat();
  }, BEAT_MS).unref();
  parentPort?.postMessage('ready');
}

const failureOf = (error: unknown): DoneMessage =>
  error instanceof Error
    ? { error: error.message, name: error.name, stack: error.stack ?? '' }
    : { error: String(error), name: 'Error', stack: '' };

/** The plan of the messages that follow. */
function planOf({ setup: { strategy: name, module, ...setup }, ...plan }: PlanMessage): Plan {
  const strategy =
    module === undefined ? findExplored(name) : loadExplored(module, name, new Realm(process.pid));
  return { ...plan, setup: { ...setup, strategy } };
}

void main();
