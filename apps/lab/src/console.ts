import { environmentWith } from '#lab/config';
import { isFree, projectRoot } from '#lab/stack';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** It cancels its jobs and stops its servers in this time, or is killed. Milliseconds. */
const STOP_MS = 10_000;
const LAST_PORT = 65_535;

interface ConsoleStart {
  /** The folder of the lab. */
  readonly dir: string;
  /** Used if it is free; otherwise another free port. */
  readonly port: number;
  /** Other machines may join, with a code. */
  readonly isClass: boolean;
  readonly signal: AbortSignal;
  /** Called with a line for the user when the console ends by itself; the lab keeps running. */
  readonly onCrash: (line: string) => void;
}

/** A console beside a running lab. */
export interface ConsoleAddress {
  readonly url: string;
  readonly pid: number;
  /** In a class: the addresses for other machines, the most likely one first, and what they and the teacher enter. */
  readonly join?: { readonly urls: readonly string[]; readonly code: string; readonly teacherCode: string };
  readonly stop: () => Promise<void>;
}

/** Starts the console as a child process, which also ends with this process. Undefined: it ended at once, as `onCrash` said. */
export async function startConsole({
  dir,
  port,
  isClass,
  signal,
  onCrash,
}: ConsoleStart): Promise<ConsoleAddress | undefined> {
  const log = join(dir, 'logs', 'console.log');
  const isAvailable = port <= LAST_PORT && (await isFree(port));
  const child = launch(dir, log, isClass, {
    PORT: String(isAvailable ? port : 0),
    HOST: isClass ? '0.0.0.0' : '127.0.0.1',
    REPLICA: 'console',
    LAB_ENABLED: 'true',
  });
  let isStopping = false;
  const exit = new Promise<undefined>((resolve) => {
    child.once('exit', (code, killedBy) => {
      const how = code === null ? `was killed (${killedBy ?? '?'})` : `ended with exit code ${code}`;
      if (!isStopping && !signal.aborted)
        onCrash(`the console ${how}, see ${relative(process.cwd(), log)}; the lab keeps running`);
      resolve(undefined);
    });
  });
  const stop = async (): Promise<void> => {
    isStopping = true;
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.kill('SIGTERM');
    await exit;
    clearTimeout(kill);
  };
  signal.addEventListener('abort', () => void stop(), { once: true });
  const started = await Promise.race([once(child, 'message') as Promise<[Started]>, exit]);
  if (started === undefined) return undefined;
  const [{ url, code, teacherCode, joinUrls = [] }] = started;
  const { port: own } = new URL(url);
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${own}`,
    ...(code !== undefined && teacherCode !== undefined && { join: { urls: joinUrls, code, teacherCode } }),
    stop,
  };
}

/** What the console sends when it listens. */
interface Started {
  readonly url: string;
  readonly code?: string;
  readonly teacherCode?: string;
  readonly joinUrls?: readonly string[];
}

/** Detached, so that Ctrl-C in the terminal triggers the orderly stop of this process and does not reach the child. */
function launch(
  dir: string,
  log: string,
  isClass: boolean,
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, 'a');
  try {
    const main = join(projectRoot(), 'dist', 'apps', 'console', 'src', 'main.js');
    return fork(main, [dir, ...(isClass ? ['--class'] : [])], {
      cwd: projectRoot(),
      env: environmentWith(environment),
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    });
  } finally {
    closeSync(output);
  }
}
