import type { Command } from 'ioredis';
import { createHash } from 'node:crypto';
import { DependencyDown } from '../seam';
import type { PendingReply } from './reply-deadlines';
import type { StepInfo } from '../seam';

/** Commands whose first argument is not a key. */
const WITHOUT_KEY = new Set(['WAIT', 'SCRIPT', 'PING', 'INFO', 'FLUSHDB']);

/** SHA-1 → name of the loaded Lua scripts, so that a step can name its script. */
const scriptNames = new Map<string, string>();

export const nameScript = (sha: string, name: string): void => void scriptNames.set(sha, name);

/** Describes a command as a step. */
export function describe(command: Command): StepInfo {
  const args = command.args.map(String);
  const verb = command.name.toUpperCase();
  if (verb !== 'EVALSHA' && verb !== 'EVAL') {
    return {
      kind: 'redis',
      verb,
      text: [verb, ...args].join(' '),
      ...(args[0] !== undefined && !WITHOUT_KEY.has(verb) && { key: args[0] }),
    };
  }
  const [source = '', keyCount = '0', ...rest] = args;
  // EVAL sends the whole text, to a server that lost its scripts in a restart
  const sha = verb === 'EVAL' ? createHash('sha1').update(source).digest('hex') : source;
  const script = scriptNames.get(sha) ?? sha;
  const key = keyCount === '0' ? undefined : rest[0];
  return {
    kind: 'redis',
    verb,
    script,
    text: [verb, script, ...rest].join(' '),
    ...(key !== undefined && { key }),
  };
}

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
