import { StackError } from '#lab/stack';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { LabDisabled, TargetError } from '#load-tests/run';
import { EXIT, Failure } from './failure';
import { Progress } from './print/progress';

/** Passed to every command. */
export interface Context {
  readonly progress: Progress;
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Registers a function that runs when the command ends, also after an error or a signal. */
  readonly onEnd: (end: () => Promise<void>) => void;
}

/** Milliseconds to wait for an interrupted start to clean up. */
const CANCEL_START_MS = 5000;

/** Milliseconds to wait for an orderly shutdown after a signal; then the process exits, which kills its child processes. */
const SHUTDOWN_MS = 20_000;

/** One Ctrl-C can be delivered by the terminal, npm and the parent process: signals within this time count as one. */
const ONE_KEYPRESS_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the body of a command and ends the process with its exit code. On a signal all started servers and replicas are
 * stopped first. Expected errors print one line, others print their stack.
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
        if (performance.now() - first > ONE_KEYPRESS_MS) process.exit(EXIT.interrupted); // exiting kills the servers and replicas immediately
        if (controller.signal.aborted) return;
        first = performance.now();
        progress.say(
          `${signal}: stopping what this command started (press Ctrl-C again to kill it immediately)`,
        );
        controller.abort();
        resolve(EXIT.interrupted);
      });
  });
  const context: Context = { progress, signal: controller.signal, onEnd: (stop) => void ends.push(stop) };
  const run = async (): Promise<number> => body(context); // turns a synchronous throw into a rejection
  const done = run().catch((error: unknown) =>
    controller.signal.aborted ? EXIT.interrupted : reportError(error, progress),
  );
  const exitCode = await Promise.race([done, interrupted]);
  const starting = controller.signal.aborted && ends.length === 0;
  if (controller.signal.aborted)
    setTimeout(() => {
      progress.say(`shutdown takes longer than ${SHUTDOWN_MS / 1000} s: killing the remaining processes`);
      process.exit(exitCode);
    }, SHUTDOWN_MS);
  await end();
  if (starting) await Promise.race([done, delay(CANCEL_START_MS)]); // an interrupted start stops its own processes
  await end(); // processes that started in the meantime
  progress.clear();
  process.exit(exitCode);
}

/** Errors about code that cannot be explored, by name: those of a worker thread have lost their class. */
const OF_CODE: ReadonlySet<string> = new Set([
  'EndlessLoop',
  'OutsideTheSeam',
  'QueuedCommand',
  'PollsWithoutPause',
  'InvariantWaits',
  'UnseenTransaction',
  'Unanswered',
]);
/** Errors of the explorer whose message says everything. */
const OF_EXPLORER: ReadonlySet<string> = new Set(['WorkerDied', 'Disturbed', 'Diverged', ...OF_CODE]);
/** Errors of a user's file. */
const OF_INPUT: ReadonlySet<string> = new Set([
  'NotASubject',
  'NotInSchedules',
  'PreparationFailed',
  'NothingTested',
  'UnobservedCommand',
]);

/** Errors after which nothing is decided. */
const OF_CHANGED_CODE: ReadonlySet<string> = new Set(['NoLongerReproduces']);

const isNamed = (error: unknown, names: ReadonlySet<string>): error is Error =>
  error instanceof Error && names.has(error.name);

/** Throws the error; one about code that cannot be explored as bad usage: the code is that of the user. */
export function refuseCode(error: unknown): never {
  if (isNamed(error, OF_CODE)) throw new Failure(error.message, EXIT.usage, { cause: error });
  throw error;
}

/** The exit code of an error whose message says everything; undefined: its stack is necessary, too. */
function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof Failure) return error.exitCode;
  if (error instanceof LabDisabled || isNamed(error, OF_INPUT)) return EXIT.usage;
  if (error instanceof StackError || error instanceof TargetError || isNamed(error, OF_EXPLORER))
    return EXIT.notAsExpected;
  return isNamed(error, OF_CHANGED_CODE) ? EXIT.unknown : undefined;
}

function reportError(error: unknown, progress: Progress): number {
  const { message, stack = message } = error instanceof Error ? error : { message: String(error) };
  const exitCode = exitCodeOf(error);
  progress.say(exitCode === undefined ? stack : message);
  return exitCode ?? EXIT.notAsExpected;
}

export const writeJson = (file: string, value: unknown): void => {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
};

/** Reads what `--json` wrote in an earlier run. `Failure` with the refusal: the file is not there, or `isResult` rejects its content. */
export function readEarlierRun<T>(
  file: string,
  isResult: (content: Partial<T>) => boolean,
  refusal: string,
): T {
  try {
    const content = JSON.parse(readFileSync(file, 'utf8')) as T;
    if (isResult(content)) return content;
  } catch {
    // reported by the failure below
  }
  throw new Failure(`${file} ${refusal}`, EXIT.usage);
}
