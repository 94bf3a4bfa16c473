import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { OsAccount } from './os-account';
import type { Claim } from './claim';
import { StackError } from './errors';
import { send, stateOf } from './identity';
import { tail } from './paths';
import { until } from './poll';

export interface Command {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Both output streams are appended here: a daemon gets no terminal of ours. */
  readonly log: string;
  /** A file to read as standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: OsAccount | undefined;
  /** Opens an IPC channel, so that the child notices when we die. */
  readonly tied?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const WAKE_EVERY_MS = 100;

/** One life of a process: from its start to its exit. */
export class Child {
  readonly pid: number;
  /** Milliseconds of the monotonic clock. */
  readonly startedAt = performance.now();
  readonly exit: Promise<Exit>;
  private over: Exit | undefined;

  /** @throws StackError STACK.START_FAILED when the program cannot be executed, STACK.STOPPED. */
  constructor(
    readonly command: Command,
    claim: Claim,
  ) {
    if (claim.ending.aborted)
      throw new StackError('STACK.STOPPED', `${command.name} is not started: the stack stops.`);
    const child = launch(command);
    child.on('error', () => undefined);
    if (child.pid === undefined) {
      throw new StackError(
        'STACK.START_FAILED',
        `${command.program} cannot be executed: is it installed and executable?`,
      );
    }
    this.pid = child.pid;
    claim.add(command.name, child.pid, 'child');
    this.exit = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.over = { code, signal };
        claim.remove(this.pid);
        resolve(this.over);
      });
    });
  }

  get exited(): Exit | undefined {
    return this.over;
  }

  get paused(): boolean {
    return !this.over && stateOf(this.pid) === 'T';
  }

  /** To the process, or to the group that it leads (nginx and its workers). */
  signal(signal: NodeJS.Signals, to: 'process' | 'group' = 'process'): void {
    if (!this.over) send(to === 'group' ? -this.pid : this.pid, signal);
  }

  async kill(to: 'process' | 'group' = 'process'): Promise<void> {
    this.signal('SIGKILL', to);
    await this.exit;
  }

  async pause(to: 'process' | 'group' = 'process'): Promise<void> {
    this.signal('SIGSTOP', to);
    await until(() => this.paused || this.over !== undefined, { timeoutMs: 2000, everyMs: 1 });
  }

  /** SIGCONT, SIGTERM, and SIGKILL for what is still there after the grace. */
  async stop(graceMs: number): Promise<void> {
    const wake = (): void => {
      this.signal('SIGCONT', 'group');
    };
    wake();
    this.signal('SIGTERM');
    const waking = setInterval(wake, WAKE_EVERY_MS); // a replica may be about to stop itself: a fault
    const timer = setTimeout(() => {
      this.signal('SIGKILL', 'group');
    }, graceMs);
    await this.exit;
    clearTimeout(timer);
    clearInterval(waking);
  }
}

/** Runs a command to its end. @throws StackError with the end of its log when it fails or takes too long. */
export async function runToEnd(command: Command, claim: Claim, timeoutMs: number): Promise<void> {
  const child = new Child(command, claim);
  const giveUp = (): void => {
    child.signal('SIGKILL', 'group');
  };
  const timer = setTimeout(giveUp, timeoutMs);
  claim.ending.addEventListener('abort', giveUp);
  const { code, signal } = await child.exit;
  claim.ending.removeEventListener('abort', giveUp);
  clearTimeout(timer);
  if (code === 0) return;
  const how = signal
    ? `was ended by ${signal} (after ${timeoutMs / 1000} s we send SIGKILL)`
    : `exited with code ${code ?? '?'}`;
  throw new StackError('STACK.START_FAILED', `${command.name} ${how}. Its log says why:${tail(command.log)}`);
}

/** Detached, so that Ctrl-C in the terminal reaches our orderly stop and not the servers. */
function launch({ program, args, cwd, log, input, env, account, tied }: Command): ChildProcess {
  const streams = [openSync(input ?? '/dev/null', 'r'), openSync(log, 'a')] as const;
  const [stdin, output] = streams;
  try {
    return spawn(program, args, {
      cwd,
      env: { ...baseEnvironment(), ...env },
      detached: true,
      stdio: tied ? [stdin, output, output, 'ipc'] : [stdin, output, output],
      ...(account && { uid: account.uid, gid: account.gid }),
    });
  } finally {
    for (const stream of streams) closeSync(stream);
  }
}

const baseEnvironment = (): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
  HOME: homedir(),
});
