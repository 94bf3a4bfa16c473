import { lockKey, tokenLock, withLock } from '#lab/strategy';
import type { Action, GuardTools, UseName } from '../contract';

/** The lock key of one action of a guard. */
export const actionKey = (use: UseName, guard: string, { key }: Pick<Action, 'key'>): string =>
  lockKey(`${use}:${key}`, guard);

/** Runs the section under a lock in Redis: SET NX PX with a token, compared before it is deleted (`token-lua`). */
export const underLock = <T>(key: string, tools: GuardTools, section: () => Promise<T>): Promise<T> =>
  withLock(tokenLock(key, tools), tools, section);
