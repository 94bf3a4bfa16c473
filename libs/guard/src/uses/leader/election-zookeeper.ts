import { createIfAbsent, findOurs, lockKey, removeUntilGone, type Lock } from '#lab/strategy';
import { randomUUID } from 'node:crypto';
import type { GuardTools } from '../../contract';

/** An election by ZooKeeper. */
interface ZooKeeperElection extends Lock {
  /** Reads the epoch of this leader. To be called under the lock, which is then released if the reading fails. */
  readEpoch(): Promise<number>;
}

/** One ephemeral node: who creates it leads. The epoch is its czxid, which ZooKeeper only increases. */
export function electedByZooKeeper(guard: string, { servers, clock }: GuardTools): ZooKeeperElection {
  const { session } = servers.zookeeper;
  const key = lockKey('journal', guard);
  const path = `/${key}`;
  const token = randomUUID();
  return {
    key,
    tryAcquire: () => createIfAbsent(session, path, token, clock),
    waitForChange: (signal) => session.removed(path, signal),
    release: () => removeUntilGone(session, () => findOurs(session, path, token), clock),
    readEpoch: async () => (await session.get(path))?.czxid ?? 0,
  };
}
