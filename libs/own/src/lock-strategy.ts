import {
  LockLost,
  LockNotObtained,
  lockKey,
  readModifyWrite,
  type Strategy,
  type Tools,
} from '#lab/strategy';
import type { Movement } from '#lab/balance';
import type { Clients, CreateLock, OwnLock } from './contract';

/** Sells under a lock: acquire, read, check, work, write, release. */
export const sellUnder =
  (createLock: CreateLock, name: string): Strategy['apply'] =>
  async (change, tools) => {
    const { options, clock, warn } = tools;
    const { leaseMs, waitMs } = options;
    const resource = lockKey(change.balance, name);
    const lock = asLock(await createLock(clientsOf(tools)));
    const begun = clock.now();
    const handle = await lock.acquire(resource, { leaseMs, waitMs });
    if (handle === undefined || handle === null || handle === false)
      throw new LockNotObtained(resource, 1, clock.now() - begun);
    try {
      return await sellWhileHeld(lock, handle, resource, change, tools);
    } finally {
      try {
        await lock.release(handle);
      } catch (error) {
        warn(`${resource} could not be released`, error);
      }
    }
  };

const REQUIRED = ['acquire', 'release'];
const OPTIONAL = ['extend', 'isHeld'];

/** What `createLock` returned, if it has the methods of a lock. */
function asLock(made: unknown): OwnLock {
  const methods = (made ?? {}) as Readonly<Record<string, unknown>>;
  const isMissing = (name: string): boolean =>
    typeof methods[name] !== 'function' && (REQUIRED.includes(name) || methods[name] !== undefined);
  const missing = [...REQUIRED, ...OPTIONAL].find(isMissing);
  if (missing === undefined) return made as OwnLock;
  throw new TypeError(`createLock must return {acquire, release}, and ${missing} is not a function`);
}

/** The lock is extended and asked after the work, right before the write, as careful code does. */
function sellWhileHeld(
  lock: OwnLock,
  handle: unknown,
  resource: string,
  change: Parameters<Strategy['apply']>[0],
  tools: Tools,
): Promise<Movement> {
  const work = async (): Promise<void> => {
    await tools.work();
    if (signalOf(handle)?.aborted === true) throw new LockLost(resource);
    const { leaseMs } = tools.options;
    if (lock.extend !== undefined && !(await lock.extend(handle, leaseMs))) throw new LockLost(resource);
    if (lock.isHeld !== undefined && !(await lock.isHeld(handle))) throw new LockLost(resource);
  };
  return readModifyWrite(change, { ...tools, work });
}

const signalOf = (handle: unknown): AbortSignal | undefined =>
  typeof handle === 'object' && handle !== null && 'signal' in handle && handle.signal instanceof AbortSignal
    ? handle.signal
    : undefined;

function clientsOf(tools: Tools): Clients {
  const { redis, servers, sql } = tools;
  if (sql === undefined) throw new Error('a lock of your own needs the database among its tools');
  return {
    redis,
    sql,
    get redises() {
      return servers.voters;
    },
  };
}
