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
import { until } from './poll';
import type { Urls } from './types';

interface Pids {
  readonly owner: Identity;
  readonly processes: readonly (Identity & { readonly name: string })[];
}

/** A process of the stack: it has to be killed if its owner is killed. */
interface Known extends Identity {
  readonly name: string;
  /** Started by this process: it counts as running until its exit is reported; a zombie still does. */
  readonly isChild: boolean;
}

/** How long to wait for processes that received SIGKILL, milliseconds. */
const END_MS = 60_000;

/** What `<dir>/stack.json` tells other processes about a stack that is up. */
export interface Announcement extends Identity {
  readonly urls: Urls;
  readonly historyDir: string;
  readonly control: string;
}

/**
 * A folder that belongs to this process while it runs a stack in it. `pids.json` is both the claim and the list
 * of what would have to be killed if we were killed ourselves.
 */
export class Claim {
  private readonly processes = new Map<number, Known>();
  private readonly owner = own();
  private readonly end = new AbortController();
  private isReleased = false;
  private readonly lastResort = (): void => {
    this.killAll();
  };

  private constructor(readonly dir: string) {}

  /** Aborted when the stack begins to stop: from then on nothing is started. */
  get ending(): AbortSignal {
    return this.end.signal;
  }

  /** Rejects with STACK.ALREADY_RUNNING while another process that is alive holds the folder. */
  static async take(dir: string): Promise<Claim> {
    mkdirSync(dir, { recursive: true });
    const claim = new Claim(dir);
    for (;;) {
      await cleanStale(dir);
      if (claim.create()) {
        process.on('exit', claim.lastResort);
        return claim;
      }
      const holder = readPids(dir)?.owner;
      if (holder && isAlive(holder)) throw alreadyRunning(dir, holder.pid);
    }
  }

  /** Remembers a process that was just started. A `child` of this process counts as running until `remove` is called at its exit. */
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
    writeWhole(join(this.dir, 'stack.json'), announcement);
  }

  close(): void {
    this.end.abort();
  }

  /** Not orderly: for a start that failed. Resolves when nothing is left. */
  async abandon(): Promise<void> {
    this.close();
    this.killAll();
    // the exit of a zombie is still to be reported: its handler must run before `release`
    await until(() => ![...this.processes.values()].some((known) => known.isChild || isAlive(known)), {
      timeoutMs: END_MS,
    });
  }

  /** The folder no longer belongs to this claim, and may be removed: from now on nothing is written there. */
  release(): void {
    this.isReleased = true;
    process.off('exit', this.lastResort);
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
      // Unlike a rename, a link fails when the name is taken, and the file is never seen half written.
      linkSync(draft, join(this.dir, 'pids.json'));
      return true;
    } catch {
      return false;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  private write(): void {
    if (this.isReleased) return;
    writeWhole(join(this.dir, 'pids.json'), this.content());
  }

  private content(): Pids {
    const processes = [...this.processes.values()].map(({ name, pid, start }) => ({ name, pid, start }));
    return { owner: this.owner, processes };
  }
}

/** The announcement of a stack whose owner is alive. */
export function announcedIn(dir: string): Announcement | undefined {
  const announced = readAnnouncement(dir);
  return announced && isAlive(announced) ? announced : undefined;
}

/**
 * Kills what a killed owner left behind in this folder and in its siblings: by pid, and only if the process that has the
 * pid now started when ours did. Returns the names of what was killed.
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
    await until(() => !left.some(isAlive), { timeoutMs: END_MS });
    if (readPids(folder)?.owner.start !== pids.owner.start) continue;
    rmSync(join(folder, 'stack.json'), { force: true });
    rmSync(join(folder, 'pids.json'), { force: true });
    rmSync(join(folder, 'data'), { recursive: true, force: true });
  }
  return killed;
}

/**
 * Folders of stacks in `parent` that no process holds: their owner has ended, and so has the process whose id ends their
 * name (`run-4711`), which may not have claimed its folder yet.
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

/** Removes the folder of a stack, unless a process holds it or has just begun to. Returns whether it is gone. */
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
    return false; // another stack has begun in it
  }
}

/** Servers are started as leaders of their own group: nginx's workers die with their master. */
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

function writeWhole(file: string, content: unknown): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(content, null, 2));
  renameSync(draft, file);
}

function alreadyRunning(dir: string, pid: number): StackError {
  const url = readAnnouncement(dir)?.urls.public;
  const where = url ? `at ${url}` : '(it is just starting)';
  return new StackError(
    'STACK.ALREADY_RUNNING',
    `A lab runs already in ${dir}: process ${pid}, ${where}. Use it, or stop it with Ctrl-C there or: kill ${pid}`,
  );
}
