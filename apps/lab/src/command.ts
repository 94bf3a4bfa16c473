import { WorkerDied } from '#lab/explore';
import { StackError } from '#lab/stack';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { TargetError } from '#load-tests/run';
import { EXIT, Failure } from './failure';
import { Progress } from './print/progress';

/** What every command gets. */
export interface Context {
  readonly progress: Progress;
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Runs when the command ends, however it ends. */
  readonly onEnd: (end: () => Promise<void>) => void;
}

/** Milliseconds that a start may take to be given up. */
const GIVE_UP_MS = 5000;

/** After a signal an orderly end may take so many milliseconds; then the process exits, which kills what it has started. */
const END_MS = 20_000;

/** One Ctrl-C may come from the terminal, from npm and from our parent: signals within so many milliseconds are one. */
const ONE_KEYPRESS_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the body of a command and ends the process with its exit code. On a signal everything that was started is
 * stopped first. Errors that are answers print one line; others print their stack.
 */
export async function runCommand(body: (context: Context) => Promise<number>): Promise<never> {
  const progress = new Progress();
  const controller = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  const end = async (): Promise<void> => {
    for (const stop of ends.splice(0).reverse()) await stop();
  };
  const interrupted = new Promise<number>((resolve) => {
    let first = Infinity;
    for (const signal of SIGNALS)
      process.on(signal, () => {
        if (performance.now() - first > ONE_KEYPRESS_MS) process.exit(EXIT.interrupted); // the stack kills what it has, at once
        if (controller.signal.aborted) return;
        first = performance.now();
        progress.say(`${signal}: stopping everything that was started (once more: at once)`);
        controller.abort();
        resolve(EXIT.interrupted);
      });
  });
  const context: Context = { progress, signal: controller.signal, onEnd: (stop) => void ends.push(stop) };
  const run = async (): Promise<number> => body(context); // also when the body throws before its first await
  const done = run().catch((error: unknown) =>
    controller.signal.aborted ? EXIT.interrupted : explain(error, progress),
  );
  const exitCode = await Promise.race([done, interrupted]);
  const starting = controller.signal.aborted && ends.length === 0;
  if (controller.signal.aborted)
    setTimeout(() => {
      progress.say(`still stopping after ${END_MS / 1000} s: what was started is killed`);
      process.exit(exitCode);
    }, END_MS);
  await end();
  if (starting) await Promise.race([done, delay(GIVE_UP_MS)]); // a start that is given up stops what it has started
  await end(); // what came up in the meantime
  progress.clear();
  process.exit(exitCode);
}

function explain(error: unknown, progress: Progress): number {
  if (error instanceof Failure) {
    progress.say(error.message);
    return error.exitCode;
  }
  if (error instanceof StackError || error instanceof TargetError || error instanceof WorkerDied) {
    progress.say(error.message);
    return EXIT.notAsExpected;
  }
  progress.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.notAsExpected;
}

export const writeJson = (file: string, value: unknown): void => {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
};
