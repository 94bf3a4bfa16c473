/**
 * What a command is for: it requests a lock, extends its lease, or gives it up. `inspect`: it changes no holder; it reads
 * the lock, joins its readers, or removes it when it has expired.
 */
export type LockRole = 'acquire' | 'renew' | 'release' | 'inspect';

/** A command on a lock, as declared where the command is defined. */
export interface LockCommand {
  readonly role: LockRole;
  /** Whether a reply says that the lock was obtained, renewed, or freed. */
  readonly succeeded: (reply: unknown) => boolean;
  /** The token of the waiter to whom the reply says that the lock was handed. */
  readonly nextHolder?: (reply: unknown) => string | undefined;
  /** When the command changes anything. Absent: it may always change something. */
  readonly onlyIf?: LockCondition;
}

/** The lock is free; its owner is the token in the arguments of the command; one of both. */
export type LockCondition = 'free' | 'owner' | 'free or owner';

/** What an issued command did to a lock, as data of the history. */
export interface LockEffect {
  readonly role: LockRole;
  /** The lock was obtained, renewed, or freed; false: it was not. Absent: there is no reply. */
  readonly done?: boolean;
  /** The token of the waiter to whom a release handed the lock. */
  readonly nextHolder?: string;
}

const isOne = (reply: unknown): boolean => reply === 1;

/** A command that grants the lock by any reply but null, 0 and negative numbers. */
export const ACQUIRES: LockCommand = {
  role: 'acquire',
  succeeded: (reply) => reply !== null && !(typeof reply === 'number' && reply <= 0),
};
/** A command that renews by the reply 1. */
export const RENEWS: LockCommand = { role: 'renew', succeeded: isOne };
/** A command that frees the lock by the reply 1, or hands it to the waiter whose token it replies. */
export const RELEASES: LockCommand = {
  role: 'release',
  succeeded: (reply) => isOne(reply) || typeof reply === 'string',
  nextHolder: (reply) => (typeof reply === 'string' ? reply : undefined),
};
/** These change nothing unless they succeed. */
export const ACQUIRES_IF_FREE: LockCommand = { ...ACQUIRES, onlyIf: 'free' };
export const ACQUIRES_IF_FREE_OR_OWNER: LockCommand = { ...ACQUIRES, onlyIf: 'free or owner' };
export const RENEWS_IF_OWNER: LockCommand = { ...RENEWS, onlyIf: 'owner' };
export const RELEASES_IF_OWNER: LockCommand = { ...RELEASES, onlyIf: 'owner' };
/** A command of a queue, a directory or a mutex that replies true when the lock was obtained or freed. */
export const whenTrue = (role: LockRole): LockCommand => ({ role, succeeded: (reply) => reply === true });
/** Joins a queue: the lock is obtained later, when no other entry is ahead. */
export const JOINS_QUEUE: LockCommand = { role: 'acquire', succeeded: () => false };
/** Looks for the entry ahead of ours in a queue; without one the lock is ours. */
export const CHECKS_QUEUE: LockCommand = { role: 'acquire', succeeded: (reply) => reply === undefined };
export const INSPECTS: LockCommand = { role: 'inspect', succeeded: () => true };

/** The effect of a command without a reply: it is pending, or failed. */
export const requestedEffect = ({ role }: LockCommand): LockEffect => ({ role });

/** The effect that a reply reports. */
export function lockEffect({ role, succeeded, nextHolder }: LockCommand, reply: unknown): LockEffect {
  const next = nextHolder?.(reply);
  return { role, done: succeeded(reply), ...(next !== undefined && { nextHolder: next }) };
}

const LOCKS_IN_DATABASE = /\bGET_LOCK\b|\bFOR (UPDATE|SHARE)\b|\b(LOCK IN SHARE MODE|LOCK TABLES)\b/i;

/** True for a statement whose lock has no key and no row of its own: a named lock, or a lock of rows or tables. */
export const locksInDatabase = (text: string): boolean => LOCKS_IN_DATABASE.test(text);
