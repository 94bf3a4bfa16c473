import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventually } from '../harness/eventually';

export { eventually };

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const IN_ONE_PROCESS = join(__dirname, 'in-one-process.cjs');

/** A running command. */
export class Running {
  stdout = '';
  stderr = '';
  readonly end: Promise<Ended>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.end = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  async prints(text: string): Promise<void> {
    await eventually(`"${text}" is printed`, () => `${this.stdout}${this.stderr}`.includes(text));
  }
}

/** A private checkout with the build of this one, so that its `lab up` is independent of others. */
export class Checkout {
  readonly root: string;
  private readonly started: Running[] = [];

  constructor(name: string) {
    this.root = resolve('.lab', `test-cli-${name}-${process.pid}`);
    mkdirSync(this.root, { recursive: true });
    for (const part of ['dist', 'infra', 'package.json'])
      cpSync(part, join(this.root, part), { recursive: true });
    symlinkSync(resolve('node_modules'), join(this.root, 'node_modules'));
  }

  private get main(): string {
    return join(this.root, 'dist', 'apps', 'lab', 'src', 'main.js');
  }

  start(...args: string[]): Running {
    return this.startWith([], ...args);
  }

  /** Starts a command with `variables`, each `NAME=value`, added to the environment. */
  startWith(variables: readonly string[], ...args: string[]): Running {
    const running = new Running(
      spawn('env', [...variables, process.execPath, this.main, ...args], {
        cwd: this.root,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    this.started.push(running);
    return running;
  }

  run(...args: string[]): Promise<Ended> {
    return this.start(...args).end;
  }

  /** Runs many command lines one after another, in one process that loads the modules once: for commands that start nothing. */
  async runInOneProcess(lines: readonly (readonly string[])[]): Promise<readonly Ended[]> {
    const child = spawn(process.execPath, [IN_ONE_PROCESS, this.main], {
      cwd: this.root,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const running = new Running(child);
    this.started.push(running);
    child.stdin.end(JSON.stringify(lines));
    return JSON.parse((await running.end).stdout) as Ended[];
  }

  json(file: string): Record<string, unknown> {
    return JSON.parse(readFileSync(join(this.root, file), 'utf8')) as Record<string, unknown>;
  }

  /** Command lines of the processes that run in or from this checkout, with their ids. */
  processes(): string[] {
    return processesIn(this.root);
  }

  /** Fails the test when a server, a replica or a helper of this checkout keeps running. */
  async expectNoProcess(): Promise<void> {
    await expectNoProcessIn(this.root);
  }

  async remove(): Promise<void> {
    for (const { child, end } of this.started)
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGINT');
        await end;
      }
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Command lines of the processes that run in or from a folder, with their ids. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const [title, cwd] = [read(`/proc/${pid}/cmdline`), link(`/proc/${pid}/cwd`)];
      if (/\) Z /.test(read(`/proc/${pid}/stat`))) return [];
      const isIn = title.includes(folder) || cwd.startsWith(folder);
      return isIn ? [`${pid} ${title.replaceAll('\0', ' ')}`] : [];
    });
}

/** Fails the test when a process that runs in or from a folder keeps running. */
export async function expectNoProcessIn(folder: string): Promise<void> {
  await eventually('no process is left', () => processesIn(folder).length === 0).catch(() => undefined);
  expect(processesIn(folder)).toEqual([]);
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process has ended
  }
};

const link = (file: string): string => {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
};
