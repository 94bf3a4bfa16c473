import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StackError } from './errors';
import { type Identity, identify, isAlive, own, send, stateOf } from './identity';
import { pollUntil } from './poll';
import { ReservedPorts } from './ports';
import type { Urls } from './types';

interface Pids {
  readonly owner: Identity;
  readonly processes: readonly (Identity & { readonly name: string })[];
}

/** A process of the stack, to be killed if its owner was killed. */
interface Known extends Identity {
  readonly name: string;
  /** Started by this process: counts as running until its exit is reported, also as a zombie. */
  readonly isChild: boolean;
}

/** Milliseconds to wait for processes that received SIGKILL. */
const END_MS = 60_000;

/** The content of `<dir>/stack.json`, by which other processes find a running stack. */
export interface Announcement extends Identity {
  readonly urls: Urls;
  readonly historyDir: string;
  readonly control: string;
}

/**
 * The exclusive right of this process to run a stack in a folder, and the stack's ports. `pids.json` is both the claim and the list of processes
 * that a later cleanup has to kill if this process is killed.
 */
export class Claim {
  readonly ports = new ReservedPorts();
  private readonly processes = new Map<number, Known>();
  private readonly owner = own();
  private readonly end = new AbortController();
  private isReleased = false;
  private readonly lastResort = (): void => {
    this.killAll();
  };

  private constructor(readonly dir: string) {}

  /** Aborted when the stack begins to stop: no process is started afterwards. */
  get ending(): AbortSignal {
    return this.end.signal;
  }

  /** @throws StackError STACK.ALREADY_RUNNING when another running process holds the folder. */
  static async take(dir: string): Promise<Claim> {
    mkdirSync(dir, { recursive: true });
    const claim = new Claim(dir);
    for (;;) {
      await cleanStale(dir);
      if (claim.create()) {
        process.on('exit', claim.lastResort);
        return claim;
      }
      const pids = readPids(dir);
      if (pids !== undefined && isAlive(pids.owner)) throw alreadyRunning(dir, pids.owner.pid);
      if (isCorrupt(join(dir, 'pids.json'))) rmSync(join(dir, 'pids.json'), { force: true });
    }
  }

  /** Records a process that has just started. A `child` of this process counts as running until `remove` at its exit. */
  add(name: string, pid: number, child?: 'child'): void {
    const id = identify(pid);
    if (!id) return;
    this.processes.set(pid, { name, ...id, isChild: child !== undefined });
    this.write();
  }

  remove(pid: number): void {
    if (this.processes.delete(pid)) this.write();
  }

  announce(stack: Omit<Announcement, keyof Identity>): void {
    const announcement: Announcement = { ...this.owner, ...stack };
    writeAtomically(join(this.dir, 'stack.json'), announcement);
  }

  close(): void {
    this.end.abort();
  }

  /** Kills all processes. Resolves when none is left, at the latest after a minute. */
  async abandon(): Promise<void> {
    this.close();
    this.killAll();
    // a zombie counts, because the handler of its exit must run before `release`
    await pollUntil(() => ![...this.processes.values()].some((known) => known.isChild || isAlive(known)), {
      timeoutMs: END_MS,
    });
  }

  /** Ends the claim. Nothing is written to the folder afterwards, so that it may be removed. */
  release(): void {
    this.isReleased = true;
    process.off('exit', this.lastResort);
    this.ports.giveAllBack();
    rmSync(join(this.dir, 'stack.json'), { force: true });
    rmSync(join(this.dir, 'pids.json'), { force: true });
  }

  private killAll(): void {
    for (const { pid } of [...this.processes.values()].filter(isAlive)) killGroup(pid);
  }

  private create(): boolean {
    const draft = join(this.dir, `pids.json.${process.pid}`);
    writeFileSync(draft, JSON.stringify(this.content()));
    try {
      // Unlike a rename, a link fails when the name exists; unlike a write, it never shows a partial file.
      linkSync(draft, join(this.dir, 'pids.json'));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  private write(): void {
    if (this.isReleased) return;
    writeAtomically(join(this.dir, 'pids.json'), this.content());
  }

  private content(): Pids {
    const processes = [...this.processes.values()].map(({ name, pid, start }) => ({ name, pid, start }));
    return { owner: this.owner, processes };
  }
}

/** The announcement in this folder, if its owner is alive. */
export function announcedIn(dir: string): Announcement | undefined {
  const announced = readAnnouncement(dir);
  return announced && isAlive(announced) ? announced : undefined;
}

/**
 * Kills the processes that a killed owner left behind in this folder and in its siblings. A process is killed only if both
 * its pid and its start time match. Returns the names of the killed processes.
 */
export async function cleanStale(dir: string): Promise<string[]> {
  const killed: string[] = [];
  for (const folder of siblings(dir)) {
    const pids = readPids(folder);
    if (!pids || isAlive(pids.owner)) continue;
    const left = pids.processes.filter(isAlive);
    for (const { name, pid } of left) {
      killGroup(pid);
      killed.push(name);
    }
    await pollUntil(() => !left.some(isAlive), { timeoutMs: END_MS });
    if (readPids(folder)?.owner.start !== pids.owner.start) continue;
    rmSync(join(folder, 'stack.json'), { force: true });
    rmSync(join(folder, 'pids.json'), { force: true });
    rmSync(join(folder, 'data'), { recursive: true, force: true });
  }
  return killed;
}

/**
 * Folders of stacks in `parent` that no running process holds. The name of a folder ends with the pid of its creator
 * (`run-4711`): the creator holds it from the start, although it may not have claimed it yet.
 */
export function foldersLeftIn(parent: string): string[] {
  return (existsSync(parent) ? readdirSync(parent, { withFileTypes: true }) : []).flatMap((entry) => {
    const folder = join(parent, entry.name);
    const [, pid] = /-(\d+)$/.exec(entry.name) ?? [];
    const isStack = pid !== undefined || existsSync(join(folder, 'logs'));
    const owner = readPids(folder)?.owner;
    const isHeld =
      (owner !== undefined && isAlive(owner)) || (pid !== undefined && stateOf(Number(pid)) !== '');
    return entry.isDirectory() && isStack && !isHeld ? [folder] : [];
  });
}

/** Removes the folder of a stack, unless a process holds or claims it. Returns whether the folder was removed. */
export async function removeLeft(folder: string): Promise<boolean> {
  const claim = await Claim.take(folder).catch(() => undefined);
  if (claim === undefined) return false;
  for (const name of readdirSync(folder))
    if (name !== 'pids.json') rmSync(join(folder, name), { recursive: true, force: true });
  claim.release();
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false; // another stack has started in it
  }
}

/** Each server leads a process group, so that nginx's workers are killed with their master. */
function killGroup(pid: number): void {
  send(-pid, 'SIGKILL');
  send(pid, 'SIGKILL');
}

function siblings(dir: string): string[] {
  const parent = dirname(dir);
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(parent, entry.name));
}

const readPids = (dir: string) => readJson(join(dir, 'pids.json')) as Pids | undefined;
const readAnnouncement = (dir: string) => readJson(join(dir, 'stack.json')) as Announcement | undefined;

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The file exists and is not JSON, for instance empty after a power loss. It is written whole, so no process is writing it. */
function isCorrupt(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

function writeAtomically(file: string, content: unknown): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(content, null, 2));
  renameSync(draft, file);
}

function alreadyRunning(dir: string, pid: number): StackError {
  const url = readAnnouncement(dir)?.urls.public;
  const where = url ? `at ${url}` : '(still starting)';
  return new StackError(
    'STACK.ALREADY_RUNNING',
    `A lab is already running in ${dir}: process ${pid}, ${where}. Use it, or stop it with Ctrl-C in its terminal or: kill ${pid}`,
  );
}
