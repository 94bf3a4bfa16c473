import { openDrills } from './support';

/** A drill with its deciding facts, stated by a server or the kernel, and the outcomes of the buyers. */
type Row = readonly [drill: string, verdict: string, facts: readonly string[], buyers: object];

const ROWS: readonly Row[] = [
  [
    'restart/none',
    'violated',
    ['redis was killed, and another process answers', 'the lock is gone', 'B holds the same lock'],
    { A: 'APPLIED', B: 'APPLIED' },
  ],
  [
    'restart/aof-everysec',
    'safe',
    ["the lock is still there, and A's", 'B is refused by the lock'],
    { A: 'APPLIED', B: 'LOCK.NOT_OBTAINED' },
  ],
  [
    'replies-lost/token-lua',
    'safe',
    ["Redis executed A's SET, and the lock is held although A has given up"],
    { A: 'DEPENDENCY.DOWN', B: 'APPLIED' },
  ],
  [
    'power-loss/aof-everysec',
    'violated',
    ['the fsync thread has not run since', 'the lock is gone', 'B holds the same lock'],
    { A: 'APPLIED', B: 'APPLIED' },
  ],
  [
    'power-loss/aof-always',
    'safe',
    ['Redis fsyncs before it replies', "the lock is still there, and A's"],
    { A: 'APPLIED', B: 'LOCK.NOT_OBTAINED' },
  ],
  [
    'voter-restart/empty',
    'violated',
    ['A holds the lock by exactly three votes of five', 'B holds the same lock by the other three votes'],
    { A: 'APPLIED', B: 'APPLIED' },
  ],
  [
    'clock-jump/fenced',
    'safe',
    ['the clock of redis was correct and jumped past the end of the lease', 'B holds the same lock'],
    { A: 'LOCK.FENCED', B: 'APPLIED' },
  ],
  [
    'black-hole/watchdog',
    'safe',
    ['its lease has ended, and B holds the lock'],
    { A: 'LOCK.LOST', B: 'APPLIED' },
  ],
];

const play = openDrills(['faketime']);

test.each(ROWS)('%s: %s', async (name, expected, facts, outcomes) => {
  const { evidence, verdict } = await play(name);
  expect(evidence.facts.filter(({ holds }) => !holds)).toEqual([]);
  expect(verdict).toMatchObject({ verdict: expected, asExpected: true });
  expect(evidence.facts).toEqual(expect.arrayContaining(facts.map((text) => ({ text, holds: true }))));
  expect(Object.fromEntries(evidence.buyers.map(({ name, code }) => [name, code]))).toEqual(outcomes);
});
