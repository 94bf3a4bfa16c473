import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { OsAccount } from './os-account';
import type { Claim } from './claim';
import { StackError } from './errors';
import { send, stateOf } from './identity';
import { tail } from './paths';
import { pollUntil } from './poll';

export interface Command {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The file to which both output streams are appended. */
  readonly log: string;
  /** A file to read as standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: OsAccount | undefined;
  /** Opens an IPC channel, so that the child notices the end of this process. */
  readonly tied?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const RESUME_EVERY_MS = 100;

/** One process, from its start to its exit. */
export class Child {
  readonly pid: number;
  readonly exit: Promise<Exit>;
  private exitStatus: Exit | undefined;

  /** @throws StackError STACK.START_FAILED when the program cannot be executed, STACK.STOPPED when the stack stops. */
  constructor(
    readonly command: Command,
    claim: Claim,
  ) {
    if (claim.ending.aborted)
      throw new StackError(
        'STACK.STOPPED',
        `${command.name} was not started, because the stack is stopping.`,
      );
    const child = launch(command);
    child.on('error', () => undefined);
    if (child.pid === undefined) {
      throw new StackError(
        'STACK.START_FAILED',
        `${command.program} cannot be executed. Check that it is installed and executable.`,
      );
    }
    this.pid = child.pid;
    claim.add(command.name, child.pid, 'child');
    this.exit = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.exitStatus = { code, signal };
        claim.remove(this.pid);
        resolve(this.exitStatus);
      });
    });
  }

  get exited(): Exit | undefined {
    return this.exitStatus;
  }

  get paused(): boolean {
    return !this.exitStatus && stateOf(this.pid) === 'T';
  }

  /** Sends a signal to the process, or to the group that it leads (nginx and its workers). */
  signal(signal: NodeJS.Signals, to: 'process' | 'group' = 'process'): void {
    if (!this.exitStatus) send(to === 'group' ? -this.pid : this.pid, signal);
  }

  async kill(to: 'process' | 'group' = 'process'): Promise<void> {
    this.signal('SIGKILL', to);
    await this.exit;
  }

  async pause(to: 'process' | 'group' = 'process'): Promise<void> {
    this.signal('SIGSTOP', to);
    await pollUntil(() => this.paused || this.exitStatus !== undefined, { timeoutMs: 2000, everyMs: 1 });
  }

  /** Sends SIGCONT and SIGTERM, and SIGKILL to the whole group after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    const resume = (): void => {
      this.signal('SIGCONT', 'group');
    };
    resume();
    this.signal('SIGTERM');
    const resuming = setInterval(resume, RESUME_EVERY_MS); // a fault may be about to make the replica stop itself
    const timer = setTimeout(() => {
      this.signal('SIGKILL', 'group');
    }, graceMs);
    await this.exit;
    clearTimeout(timer);
    clearInterval(resuming);
  }
}

/** Runs a command to its end. @throws StackError STACK.START_FAILED with the end of its log when it fails or times out. */
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
    ? `was terminated by ${signal} (its timeout is ${timeoutMs / 1000} s)`
    : `exited with code ${code ?? '?'}`;
  throw new StackError('STACK.START_FAILED', `${command.name} ${how}. See its log:${tail(command.log)}`);
}

/** Detached, so that Ctrl-C in the terminal triggers this process's orderly stop and does not reach the servers. */
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
