import type { EtcdKey } from '#lab/step';
import { lockKey } from '#lab/strategy';
import { randomUUID } from 'node:crypto';
import type { Action, GuardTools } from '../../contract';
import type { Election } from './election';

/** A key with a lease: the oldest one leads. The epoch is the revision of the key, which etcd only increases. */
export async function electedByEtcd(
  guard: string,
  { request }: Action,
  { servers, options }: GuardTools,
): Promise<Election> {
  const store = servers.etcd;
  const key = lockKey('journal', guard);
  const lease = await store.grant(options.leaseMs);
  let own: EtcdKey | undefined;
  let predecessor: EtcdKey | undefined;
  const election = {
    key,
    epoch: 0,
    tryAcquire: async () => {
      own ??= await store.create(`${key}/${randomUUID()}`, request, lease);
      predecessor = await store.predecessor(own);
      election.epoch = own.revision;
      return predecessor === undefined;
    },
    waitForChange: (signal: AbortSignal) =>
      predecessor === undefined ? Promise.resolve() : store.removed(predecessor, signal),
    release: () => store.revoke(lease, key), // removes the key as well
  };
  return election;
}
