import { HistoryBuilder } from './history-builder';

const KEY = 'lock:{load}:expiring';
let order = 100;
/** A command on the lock key, with its position in the server's order. */
const command = (verb: string, reply: unknown, text = `${verb} ${KEY}`): object => ({
  verb,
  text,
  reply,
  order: ++order,
});
const script = (name: string, reply: unknown): object => ({
  ...command('EVALSHA', reply, `EVALSHA ${name} ${KEY}`),
  script: name,
});

const history = (): HistoryBuilder => new HistoryBuilder().contention().sells('a').sells('b');

describe('the holder of the lock', () => {
  test('changes with a plain SET, even if another request held it', () => {
    const run = history()
      .step('a', 'inventory-1', command('SET', 'OK', `SET ${KEY} a`))
      .step('b', 'inventory-2', command('SET', 'OK', `SET ${KEY} b`))
      .sql('a')
      .step('a', 'inventory-1', command('DEL', 1));
    expect(run.judge()).toMatchObject({
      overlaps: [{ first: 'a', second: 'b' }],
      foreignReleases: [{ by: 'a', owner: 'b' }],
    });
  });

  test.each(['acquire-with-expiry', 'acquire-with-fence'])(
    'is the caller of the script %s unless it answers 0',
    (name) => {
      const run = history()
        .step('a', 'inventory-1', script(name, 7))
        .step('b', 'inventory-2', script(name, 0))
        .sql('a')
        .step('a', 'inventory-1', script('release-if-owner', 1));
      expect(run.judge()).toMatchObject({ verdict: 'safe', overlaps: [], foreignReleases: [] });
    },
  );
});

describe('a foreign renewal', () => {
  const taken = (): HistoryBuilder => history().step('a', 'inventory-1', command('SETNX', 1));

  test('is an expiry that a losing request sets on the lock of the winner', () => {
    const run = taken()
      .step('a', 'inventory-1', command('PEXPIRE', 1))
      .step('b', 'inventory-2', command('SETNX', 0))
      .step('b', 'inventory-2', command('PEXPIRE', 1));
    expect(run.judge()).toMatchObject({
      violations: ['foreign-renewal'],
      foreignRenewals: [{ by: 'b', owner: 'a', key: KEY }],
    });
  });

  test("is not reported when it changed nothing, when the lock is free, or when it is the holder's own", () => {
    const run = taken()
      .step('b', 'inventory-2', command('PEXPIRE', 0))
      .step('a', 'inventory-1', script('renew-if-owner', 1))
      .step('a', 'inventory-1', command('DEL', 1))
      .step('b', 'inventory-2', command('PEXPIRE', 1));
    expect(run.judge()).toMatchObject({ verdict: 'safe', foreignRenewals: [] });
  });
});
