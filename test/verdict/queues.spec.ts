import { HistoryBuilder } from './history-builder';

const onZooKeeper = (verb: 'CREATE' | 'CHILDREN' | 'DELETE', order: number, reply: unknown): object => ({
  kind: 'zk',
  lock: verb === 'DELETE' ? { role: 'release', done: reply } : { role: 'acquire', done: reply === null },
  key: 'lock:{load}:zookeeper',
  verb,
  text: `${verb} /lock:{load}:zookeeper`,
  order,
  reply,
});
const history = (): HistoryBuilder => new HistoryBuilder().contention().sells('a').sells('b');

test('an empty list of predecessors starts a hold interval, and the deleted node ends it', () => {
  const run = history()
    .step('a', 'inventory-1', onZooKeeper('CREATE', 1, '/node-1'))
    .step('b', 'inventory-2', onZooKeeper('CREATE', 2, '/node-2'))
    .step('a', 'inventory-1', onZooKeeper('CHILDREN', 2, null))
    .step('b', 'inventory-2', onZooKeeper('CHILDREN', 2, '/node-1'))
    .sql('a')
    .step('b', 'inventory-2', onZooKeeper('CHILDREN', 3, null)) // recorded before the release that preceded it on the server
    .step('a', 'inventory-1', onZooKeeper('DELETE', 3, true))
    .sql('b', 'inventory-2');
  expect(run.judge()).toMatchObject({ verdict: 'safe', overlaps: [], foreignReleases: [], undecided: 0 });
});

test('a holder still at work when another one is first in the queue has lost its session', () => {
  const run = history()
    .step('a', 'inventory-1', onZooKeeper('CHILDREN', 1, null))
    .step('b', 'inventory-2', onZooKeeper('CHILDREN', 5, null))
    .sql('a');
  expect(run.judge().overlaps).toMatchObject([{ first: 'a', second: 'b' }]);
});

test('a waiter that gives up removes its own queue entry and no other', () => {
  const run = history()
    .step('a', 'inventory-1', onZooKeeper('CHILDREN', 1, null))
    .step('b', 'inventory-2', onZooKeeper('DELETE', 2, true))
    .sql('a')
    .step('a', 'inventory-1', onZooKeeper('DELETE', 3, true));
  expect(run.judge()).toMatchObject({ overlaps: [], foreignReleases: [] });
});

test('a command refused because the session had ended is not undecided', () => {
  const refused = {
    ...onZooKeeper('DELETE', 0, undefined),
    order: undefined,
    error: 'the session at zookeeper has ended',
    errorCode: 'LOCK.LOST',
  };
  expect(history().step('a', 'inventory-1', refused).judge().undecided).toBe(0);
});
