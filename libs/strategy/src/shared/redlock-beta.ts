import { ACQUIRES_IF_FREE, RELEASES_IF_OWNER } from '#lab/step';
import type { Redis } from 'ioredis';
// @ts-expect-error -- the package declares its types for the older module resolution only
import Redlock from 'redlock-beta';
import { defineScript } from './scripts';

/** A lock that a majority has granted. The client does not check whether it is still valid. */
export interface BetaLock {
  readonly expiration: number;
  release(): Promise<unknown>;
}

/** The votes of one attempt, complete when every server has replied. */
interface Votes {
  readonly votesAgainst: ReadonlyMap<unknown, Error>;
}

/** The part of redlock 5.0.0-beta.2 that is used. */
interface BetaClient {
  readonly scripts: Record<'acquireScript' | 'releaseScript', { readonly value: string }>;
  acquire(keys: readonly string[], leaseMs: number): Promise<BetaLock>;
}
const Client = Redlock as new (servers: readonly object[], settings?: { retryCount: number }) => BetaClient;

/** redlock 5.0.0-beta.2 as shipped, without its retries: the strategy retries. */
export class RedlockBetaClient {
  private readonly redlock: BetaClient;

  constructor(private readonly voters: readonly Redis[]) {
    this.redlock = new Client(voters, { retryCount: 0 });
  }

  /** Undefined when no majority granted it. Throws a server's error when a majority fails. */
  async tryLock(key: string, leaseMs: number): Promise<BetaLock | undefined> {
    try {
      return await this.redlock.acquire([key], leaseMs);
    } catch (error) {
      const { attempts = [] } = error as { attempts?: readonly Promise<Votes>[] };
      const against = (await Promise.all(attempts)).flatMap(({ votesAgainst }) => [...votesAgainst.values()]);
      const failed = against.filter(({ name }) => name !== 'ResourceLockedError');
      if (attempts.length === 0 || failed.length > this.voters.length / 2) throw failed[0] ?? error;
      return undefined;
    }
  }
}

const { scripts } = new Client([{}]);
defineScript('acquire-redlock-beta', scripts.acquireScript.value, ACQUIRES_IF_FREE);
defineScript('release-redlock-beta', scripts.releaseScript.value, RELEASES_IF_OWNER);
