import { StackError } from '#lab/stack';
import { codeOf } from '#lab/step';
import { removeOldRuns, writeRunFolder } from '#load-tests/results';
import { balancesOf, findUnfired, hostOf, runLoad, TargetError } from '#load-tests/run';
import { basename } from 'node:path';
import { Lab } from '../lab';
import { CANCEL, type RunMessage, type RunOrder, type RunResult } from './run-messages';
import { verdictView } from './run-view';
import { RunWatch } from './run-watch';

// A process of its own, so that neither the load nor the verdict keeps the readers of the console waiting, and so that the
// memory of a long history is free afterwards.

const aborting = new AbortController();

const send = (message: RunMessage): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(message, () => {
      resolve();
    });
  });

async function make({ labFolder, plan, title, language }: RunOrder): Promise<RunResult> {
  const lab = await new Lab({ labFolder }).open();
  const of = plan.requests + (plan.fault?.on.kind === 'first' ? 1 : 0);
  const watch = new RunWatch(
    hostOf(plan) === 'account' ? lab.target.accounts : lab.target,
    balancesOf(plan),
    (sample) => void send({ sample }),
    (text, done) => void send({ progress: { text, done, of } }),
    (lanes) => void send({ lanes }),
    language,
  );
  try {
    const made = await runLoad(lab.target, lab.control, plan, watch.observer(aborting.signal));
    await watch.end({ last: true });
    removeOldRuns();
    const folder = basename(writeRunFolder(made, title, language));
    const { verdict, unexpected } = made;
    return { folder, verdict: verdictView({ ...verdict, unexpected }, findUnfired(made)) };
  } finally {
    await watch.end({ last: false });
    await lab.stop();
  }
}

function failure(error: unknown): RunMessage {
  const code = codeOf(error);
  if (!(error instanceof Error)) return { failed: String(error), code };
  const isExplained = error instanceof StackError || error instanceof TargetError || aborting.signal.aborted;
  if (!isExplained) process.stderr.write(`${error.stack ?? error.message}\n`);
  return { failed: error.message, code };
}

process.once('message', (order: RunOrder) => {
  process.on('message', (message) => {
    if (message === CANCEL) aborting.abort();
  });
  void make(order)
    .then(
      (result) => send({ result }),
      (error: unknown) => send(failure(error)),
    )
    .then(() => process.exit(0));
});
process.once('disconnect', () => process.exit(1)); // the console was killed
