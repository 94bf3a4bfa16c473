import { openDrills } from './support';

const play = openDrills();

interface Row {
  readonly drill: string;
  readonly verdict: 'safe' | 'violated';
  /** What a server has said that decides it. */
  readonly facts: readonly string[];
  /** Who was told what. */
  readonly told: Readonly<Record<string, string>>;
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** One of each kind. */
const ROWS: readonly Row[] = [
  {
    drill: 'failover/token-lua',
    verdict: 'violated',
    facts: ['the primary has 0 of its 1 replica', 'A holds the lock', 'B held the same lock'],
    told: { A: 'APPLIED', B: 'APPLIED' },
  },
  {
    drill: 'failover/replicated',
    verdict: 'safe',
    facts: ['A had the lock on the primary, and 0 of 2 replicas acknowledged it'],
    told: { A: 'LOCK.NOT_REPLICATED', B: 'LOCK.NOT_REPLICATED', C: 'APPLIED' },
  },
  {
    drill: 'failover/redlock',
    verdict: 'safe',
    facts: ['one voter is dead', 'no voter granted the lock to B'],
    told: { A: 'APPLIED', B: 'LOCK.NOT_OBTAINED', C: 'STOCK.SOLD_OUT' },
  },
  {
    drill: 'fence/fenced',
    verdict: 'safe',
    facts: ['A and B hold the lock with the same token'],
    told: { A: 'APPLIED', B: 'LOCK.FENCED' },
    figures: { 'tokens of A and B': '1, 1' },
  },
  {
    drill: 'fence/falls-fenced-write',
    verdict: 'violated',
    facts: ["A's token is greater than B's"],
    told: { A: 'APPLIED', A0: 'DIED', B: 'APPLIED' },
    figures: { 'tokens of A and B': '2, 1' },
  },
  {
    drill: 'split-brain/min-replicas',
    verdict: 'safe',
    facts: ['there are two primaries', 'the old primary refuses writes: NOREPLICAS'],
    told: { A: 'DEPENDENCY.DOWN', B: 'APPLIED' },
  },
  {
    drill: 'split-brain/token-lua',
    verdict: 'violated',
    facts: ['there are two primaries', 'every write of the old primary is lost'],
    told: { A: 'APPLIED', B: 'APPLIED' },
    figures: { 'of them lost when it was demoted': 1000 },
  },
  {
    drill: 'sentinel/fenced',
    verdict: 'safe',
    facts: ['all Sentinels name the same replica', 'an election took place: the epoch has increased'],
    told: { A: 'APPLIED', B: 'LOCK.FENCED' },
  },
  {
    drill: 'cluster/token-lua',
    verdict: 'violated',
    facts: ['B held the same lock', 'B ran a script on the new primary'],
    told: { A: 'APPLIED', B: 'APPLIED' },
    figures: { 'scripts that the new primary did not have': 1 },
  },
];

test.each(ROWS)('$drill: $verdict', async ({ drill: name, verdict: word, facts, told, figures = {} }) => {
  const { evidence, verdict } = await play(name);
  expect(evidence.facts.filter(({ holds }) => !holds)).toEqual([]);
  expect(verdict).toMatchObject({ verdict: word, asExpected: true });
  expect(evidence.facts).toEqual(expect.arrayContaining(facts.map((text) => ({ text, holds: true }))));
  expect(Object.fromEntries(evidence.buyers.map(({ name, code }) => [name, code]))).toEqual(told);
  expect(evidence.figures).toMatchObject(figures);
});
