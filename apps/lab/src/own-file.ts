import { loadExplored, NotLoadable, Realm } from '#lab/explore';
import { declaresLacks, isSubject, nameOf, NotVerifiable, type OwnStrategy, type OwnSubject } from '#lab/own';
import { addStrategy } from '#lab/strategy';
import type { Command } from 'commander';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { EXIT, Failure } from './failure';
import { installFor } from './recipes';

/** For loading a file, also on a slow machine. Only a file that never ends takes so long. */
const LOAD_SECONDS = 30;

/** Ends a function that loops forever, or on Ctrl-C, with an error. */
const endingSoon = <T>(load: () => T): T =>
  runInNewContext('load()', { load }, { timeout: 1000 * LOAD_SECONDS, breakOnSigint: true }) as T;

/** The error belongs to the context in which the function ran. */
function whyEnded(error: unknown): string | undefined {
  switch ((error as { readonly code?: unknown } | undefined)?.code) {
    case 'ERR_SCRIPT_EXECUTION_TIMEOUT':
      return `is still being loaded after ${LOAD_SECONDS} s: its top level seems to contain an endless loop`;
    case 'EXPLORE.EXIT':
      return 'calls process.exit when it is loaded';
    case 'ERR_SCRIPT_EXECUTION_INTERRUPTED':
      return 'was interrupted while it was being loaded';
    default:
      return undefined;
  }
}

/** Whether the argument names a file rather than a strategy of the catalogue. */
export const isFile = (text: string): boolean => /[./\\]/.test(text);

/** Loads the subject or the strategy of a file, as each process of a schedule will. Throws a usage failure that says what is wrong. */
export function loadOwn(path: string): OwnStrategy | OwnSubject {
  const file = resolve(path);
  if (!existsSync(file))
    throw new Failure(`there is no file ${path}. "npx lab new lock ${path}" writes an example`, EXIT.usage);
  if (!statSync(file).isFile())
    throw new Failure(`${path} is a folder: give a file with a lock, a strategy or a subject`, EXIT.usage);
  installFor(file);
  const realm = new Realm(process.pid);
  try {
    const strategy = endingSoon(() => loadExplored(file, nameOf(file), realm));
    if (isSubject(strategy)) return strategy;
    return { strategy, isDeclared: declaresLacks(realm.load(file)) };
  } catch (error) {
    if (error instanceof NotVerifiable || error instanceof NotLoadable)
      throw new Failure(error.message, EXIT.usage);
    const ended = whyEnded(error);
    if (ended !== undefined) throw new Failure(`${path} ${ended}`, EXIT.usage);
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new Failure(`${path} throws when it is loaded: ${why}`, EXIT.usage);
  } finally {
    realm.timers.stop();
  }
}

/** As `loadOwn`, where only a lock or a strategy has a meaning. */
export function loadOwnStrategy(path: string): OwnStrategy {
  const own = loadOwn(path);
  if ('definition' in own)
    throw new Failure(
      `${path} exports a subject, and only locks and strategies can be chosen by requests`,
      EXIT.usage,
    );
  return own;
}

/** An option for files whose strategies the requests of a lab may choose. */
export const strategyFileOption = (command: Command): Command =>
  command.option(
    '--with-strategy <files...>',
    'files with locks or strategies of your own, which requests choose by ?strategy=own-FILE',
  );

/** Makes the strategies of the files known to this process. Returns the files by the names of their strategies. */
export const addStrategies = (files: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    files.map((file) => {
      const { strategy } = loadOwnStrategy(file);
      addStrategy(strategy);
      return [strategy.name, file];
    }),
  );
