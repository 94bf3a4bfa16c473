import { findStrategy } from '#lab/strategy';
import { parentPort, workerData } from 'node:worker_threads';
import type { DoneMessage, WorkMessage } from './worker-pool';
import type { Plan, Subtree } from './execution';
import { exploreOne } from './explorer';
import { emptyTally } from './tally';
import { refuseStraySteps, loadStrategy, Realm } from '../actors';
import { type WorldOptions, World } from '../world';

/** Worker thread of `WorkerPool`: explores subtrees on its own world. */
async function main(): Promise<void> {
  refuseStraySteps();
  const world = await World.open(workerData as WorldOptions);
  parentPort?.on('message', (message: WorkMessage | 'stop') => {
    if (message === 'stop') {
      void world.close().finally(() => process.exit());
      return;
    }
    void work(world, message)
      .catch((error: unknown): DoneMessage => ({
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        name: error instanceof Error ? error.name : 'Error',
      }))
      .then((done) => parentPort?.postMessage(done));
  });
  parentPort?.postMessage('ready');
}

async function work(world: World, { plan: message, subtree, most }: WorkMessage): Promise<DoneMessage> {
  const { strategy: name, module, ...setup } = message.setup;
  const strategy =
    module === undefined ? findStrategy(name) : loadStrategy(module, name, new Realm(process.pid));
  const plan: Plan = { ...message, setup: { ...setup, strategy } };
  const tally = emptyTally();
  const stack: Subtree[] = [subtree];
  while (stack.length > 0 && tally.schedules < most) await exploreOne(world, plan, stack, tally);
  return { tally, remaining: stack };
}

void main();
