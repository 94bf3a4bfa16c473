import type { Redis } from 'ioredis';
// @ts-expect-error -- the package tells only the older module resolution where its types are
import Redlock from 'redlock-beta';
import { theirScript } from './scripts';

/** A lock that a majority has granted. Nothing says whether it is still valid. */
export interface BetaLock {
  readonly expiration: number;
  release(): Promise<unknown>;
}

/** The votes of one attempt, complete when every server has answered. */
interface Votes {
  readonly votesAgainst: ReadonlyMap<unknown, Error>;
}

/** What is used of redlock 5.0.0-beta.2. */
interface Beta {
  readonly scripts: Record<'acquireScript' | 'releaseScript', { readonly value: string }>;
  acquire(keys: readonly string[], leaseMs: number): Promise<BetaLock>;
}
const Client = Redlock as new (servers: readonly object[], settings?: { retryCount: number }) => Beta;

/** redlock 5.0.0-beta.2 as shipped: one try a call, so that trying again is the strategy's own business. */
export class RedlockBetaClient {
  private readonly redlock: Beta;

  constructor(private readonly voters: readonly Redis[]) {
    this.redlock = new Client(voters, { retryCount: 0 });
  }

  /** Undefined when no majority granted it. Throws what the servers said when a majority does not answer. */
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
theirScript('acquire-redlock-beta', scripts.acquireScript.value);
theirScript('release-redlock-beta', scripts.releaseScript.value);
