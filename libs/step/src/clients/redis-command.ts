import type { Command } from 'ioredis';
import { createHash } from 'node:crypto';
import { ACQUIRES, ACQUIRES_IF_FREE, DependencyDown, INSPECTS, RELEASES, RENEWS } from '../seam';
import { whyNotCommand, whyNotScript } from './not-in-schedules';
import type { PendingReply } from './reply-deadlines';
import type { LockCommand, StepInfo } from '../seam';

/** Commands whose first argument is not a key. */
const WITHOUT_KEY = new Set(['WAIT', 'SCRIPT', 'PING', 'INFO', 'FLUSHDB']);

/** What a step shows of a Lua script. */
interface KnownScript {
  readonly name: string;
  /** What it does to the lock that is its first key; absent: it is no command on a lock. */
  readonly lock?: LockCommand;
  /** Where its reply, a list, has the milliseconds until its first key expires. */
  readonly timeLeftAt?: number;
  /** Why it cannot be explored; absent: it can. */
  readonly refused?: string | undefined;
}

/** The loaded Lua scripts by SHA-1. */
const scripts = new Map<string, KnownScript>();

/** Makes a script known by its name, and by what it does to a lock. */
export const nameScript = (sha: string, script: KnownScript): void => void scripts.set(sha, script);

/** The name of a command in lower case: ioredis keeps that of `call` as it was written. */
export const nameOf = ({ name }: Pick<Command, 'name'>): string => name.toLowerCase();

/** A script without a name, by the commands that it calls: `Lua(GET,DEL)#4283cd`. The digits tell scripts with the same commands apart. */
function describeScript(sha: string, source: string | undefined): KnownScript {
  const called = (source ?? '').matchAll(/\bredis\.p?call\(\s*(['"])(\w+)\1/g);
  const verbs = new Set(Array.from(called, ([, , verb = '']) => verb.toUpperCase()));
  return { name: `Lua(${[...verbs].join(',')})#${sha.slice(0, 6)}`, refused: whyNotScript(source ?? '') };
}

const sha1Of = (source: string): string => createHash('sha1').update(source).digest('hex');

/** An EVALSHA shows this script by its commands, unless it has a name. */
function nameByCommands(source: string): void {
  const sha = sha1Of(source);
  if (!scripts.has(sha)) nameScript(sha, describeScript(sha, source));
}

/** The keys of locks in Redis. */
const isLockKey = (key: string | undefined): key is string => key?.startsWith('lock:') === true;

/** What Redis' own commands do to a lock key. All others inspect it. */
const LOCK_COMMANDS: Readonly<Record<string, LockCommand>> = {
  SET: ACQUIRES, // without NX it overwrites another holder
  SETNX: ACQUIRES_IF_FREE,
  EXPIRE: RENEWS, // after SETNX: the second command of an acquire
  PEXPIRE: RENEWS,
  DEL: RELEASES,
};

/** What a command named in a fault does to a lock: a verb of Redis, or a script. */
export const lockCommandNamed = (name: string): LockCommand | undefined =>
  LOCK_COMMANDS[name] ?? [...scripts.values()].find((script) => script.name === name)?.lock;

/** Describes a command as a step. */
export function describe(command: Command): StepInfo {
  const args = command.args.map(String);
  const verb = command.name.toUpperCase();
  const keys = command.getKeys().map(String);
  if (verb !== 'EVALSHA' && verb !== 'EVAL') {
    const key = WITHOUT_KEY.has(verb) ? undefined : args[0];
    const loaded = verb === 'SCRIPT' && args[0]?.toUpperCase() === 'LOAD' ? args[1] : undefined;
    if (loaded !== undefined) nameByCommands(loaded);
    const refused = whyNotCommand(nameOf(command), args);
    return {
      kind: 'redis',
      verb,
      text: [verb, ...args].join(' '),
      keys,
      ...(key !== undefined && { key }),
      ...(isLockKey(key) && { lock: plainLockCommand(verb, args) }),
      ...(refused !== undefined && { refused }),
    };
  }
  const [source = '', keyCount = '0', ...rest] = args;
  // EVAL sends the whole text, to a server that lost its scripts in a restart
  const text = verb === 'EVAL' ? source : undefined;
  const sha = text === undefined ? source : sha1Of(text);
  const { name, lock = INSPECTS, timeLeftAt, refused } = scripts.get(sha) ?? describeScript(sha, text);
  const key = keyCount === '0' ? undefined : rest[0];
  return {
    kind: 'redis',
    verb,
    script: name,
    text: [verb, name, ...rest].join(' '),
    keys,
    ...(key !== undefined && { key }),
    ...(timeLeftAt !== undefined && { timeLeftAt }),
    ...(isLockKey(key) && { lock }),
    ...(refused !== undefined && { refused }),
  };
}

const plainLockCommand = (verb: string, args: readonly string[]): LockCommand =>
  (verb === 'SET' ? args.map((arg) => SET_OPTIONS[arg.toUpperCase()]).find(Boolean) : undefined) ??
  LOCK_COMMANDS[verb] ??
  INSPECTS;

/** What an option of SET makes of it. */
const SET_OPTIONS: Readonly<Record<string, LockCommand | undefined>> = {
  NX: ACQUIRES_IF_FREE,
  XX: { role: 'renew', succeeded: (reply) => reply === 'OK' },
};

/**
 * Rejects with `DependencyDown` when there is no reply within `ms`. After SIGSTOP … SIGCONT the timer is overdue while
 * the reply may already be in the socket: two turns of the event loop read it first.
 */
export function withinTime(reply: Promise<unknown>, ms: number, command: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() =>
        setImmediate(() => {
          reject(new DependencyDown('redis', `Redis did not answer ${command} within ${ms} ms`));
        }),
      );
    }, ms);
    reply.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(asDependencyError(error, command));
      },
    );
  });
}

/** A command without a reply yet: it fails as `DependencyDown` after a timeout or without a connection. */
export class PendingCommand implements PendingReply {
  private hasFailed = false;

  constructor(
    private readonly command: Command,
    private readonly name: string,
    private readonly ms: number,
  ) {
    const { reject } = command;
    command.reject = (error) => {
      this.hasFailed = true;
      reject(asDependencyError(error, name));
    };
  }

  get isAnswered(): boolean {
    return this.hasFailed || this.command.isResolved;
  }

  timeOut(): void {
    this.command.reject(
      new DependencyDown('redis', `Redis did not answer ${this.name} within ${this.ms} ms`),
    );
  }
}

function asDependencyError(error: unknown, command: string): Error {
  if (error instanceof DependencyDown) return error;
  return isReplyError(error) ? inService(error) : unreachable(command, error);
}

const unreachable = (command: string, cause: unknown): DependencyDown =>
  new DependencyDown('redis', `Redis is not reachable (${command})`, { cause });

/**
 * Replies of a server that cannot serve now: too few replicas, a replica itself, loading, a cluster without a majority.
 */
const OUT_OF_SERVICE = /^(NOREPLICAS|READONLY|LOADING|MASTERDOWN|MISCONF|CLUSTERDOWN)\b/;

/** A `DependencyDown` for a server that cannot serve now, else the error itself. */
export const inService = (error: Error): Error =>
  OUT_OF_SERVICE.test(error.message)
    ? new DependencyDown('redis', `Redis cannot serve now: ${error.message}`, { cause: error })
    : error;

const isReplyError = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ReplyError';
