import type { Use } from '../../contract';
import { etcd } from './etcd';
import { etcdFenced } from './etcd-fenced';
import { EPOCHS } from './journal';
import { lease } from './lease';
import { leaseFenced } from './lease-fenced';
import { namedLock } from './named-lock';
import { noElection } from './no-election';
import { zookeeper } from './zookeeper';
import { zookeeperFenced } from './zookeeper-fenced';

export const leader: Use = {
  name: 'leader',
  action: 'Write to a journal that only the elected leader may write.',
  endpoint: 'POST /journal/entries',
  rules: { effect: 'journal entry at position', second: 'duplicate', isPromised: true },
  tables: ['journal', 'journal_epoch'],
  rows: ["INSERT INTO journal_epoch (name, epoch) VALUES ('journal', 0)"],
  async effects({ query }) {
    const rows = await query('SELECT position, epoch, request FROM journal ORDER BY id');
    return (rows as { position: number; epoch: number; request: string }[]).map(
      ({ position, epoch, request }) => ({ key: String(position), request, epoch }),
    );
  },
  async prepare(_, { redis }) {
    await redis.del(EPOCHS);
  },
  guards: [noElection, lease, leaseFenced, namedLock, zookeeper, zookeeperFenced, etcd, etcdFenced],
};
