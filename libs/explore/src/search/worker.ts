import { findStrategy } from '#lab/strategy';
import { parentPort, workerData } from 'node:worker_threads';
import type { DoneMessage, WorkMessage } from './worker-pool';
import type { Plan, Subtree } from './execution';
import { exploreOne } from './explorer';
import { emptyTally } from './tally';
import { refuseStraySteps, loadStrategy, Realm } from '../actors';
import { type WorldOptions, World } from '../world';

const BEAT_MS = 100;

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
      .catch((error: unknown): DoneMessage =>
        error instanceof Error
          ? { error: error.message, name: error.name, stack: error.stack ?? '' }
          : { error: String(error), name: 'Error', stack: '' },
      )
      .then((done) => parentPort?.postMessage(done));
  });
  setInterval(() => {
    world.pulse.beat();
  }, BEAT_MS).unref();
  parentPort?.postMessage('ready');
}

async function work(world: World, { plan: message, subtree, most }: WorkMessage): Promise<DoneMessage> {
  const { strategy: name, module, ...setup } = message.setup;
  const strategy =
    module === undefined ? findStrategy(name) : loadStrategy(module, name, new Realm(process.pid));
  const plan: Plan = { ...message, setup: { ...setup, strategy } };
  const tally = emptyTally();
  const stack: Subtree[] = [subtree];
  while (stack.length > 0 && tally.schedules < most && !world.pulse.isOver)
    await exploreOne(world, plan, stack, tally);
  return { tally, remaining: stack };
}

void main();
