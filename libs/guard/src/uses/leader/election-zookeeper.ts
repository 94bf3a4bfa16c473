import { createIfAbsent, findOurs, lockKey, removeUntilGone } from '#lab/strategy';
import { randomUUID } from 'node:crypto';
import type { GuardTools } from '../../contract';
import type { Election } from './election';

/** One ephemeral node: who creates it leads. The epoch is its czxid, which ZooKeeper only increases. */
export function electedByZooKeeper(guard: string, { servers, clock }: GuardTools): Election {
  const { session } = servers.zookeeper;
  const key = lockKey('journal', guard);
  const path = `/${key}`;
  const token = randomUUID();
  const election = {
    key,
    epoch: 0,
    tryAcquire: async () => {
      if (!(await createIfAbsent(session, path, token, clock))) return false;
      const node = await session.get(path);
      election.epoch = node?.czxid ?? 0;
      return true;
    },
    waitForChange: (signal: AbortSignal) => session.removed(path, signal),
    release: () => removeUntilGone(session, () => findOurs(session, path, token), clock),
  };
  return election;
}
