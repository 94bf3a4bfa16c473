import { openDrills } from './support';

const play = openDrills();

interface Row {
  readonly drill: string;
  readonly verdict: 'safe' | 'violated';
  /** The deciding facts, as stated by a server. */
  readonly facts: readonly string[];
  /** The outcome of each buyer. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** One drill of each kind. */
const ROWS: readonly Row[] = [
  {
    drill: 'failover/token-lua',
    verdict: 'violated',
    facts: ['the primary has 0 of its 1 replica', 'A holds the lock', 'B held the same lock'],
    outcomes: { A: 'APPLIED', B: 'APPLIED' },
  },
  {
    drill: 'failover/replicated',
    verdict: 'safe',
    facts: ['A had the lock on the primary, and 0 of 2 replicas acknowledged it'],
    outcomes: { A: 'LOCK.NOT_REPLICATED', B: 'LOCK.NOT_REPLICATED', C: 'APPLIED' },
  },
  {
    drill: 'failover/redlock',
    verdict: 'safe',
    facts: ['one voter is dead', 'no voter granted the lock to B'],
    outcomes: { A: 'APPLIED', B: 'LOCK.NOT_OBTAINED', C: 'STOCK.SOLD_OUT' },
  },
  {
    drill: 'fence/fenced',
    verdict: 'safe',
    facts: ['A and B hold the lock with the same token'],
    outcomes: { A: 'APPLIED', B: 'LOCK.FENCED' },
    figures: { 'tokens of A and B': '1, 1' },
  },
  {
    drill: 'fence/falls-fenced-write',
    verdict: 'violated',
    facts: ["A's token is greater than B's"],
    outcomes: { A: 'APPLIED', A0: 'DIED', B: 'APPLIED' },
    figures: { 'tokens of A and B': '2, 1' },
  },
  {
    drill: 'split-brain/min-replicas',
    verdict: 'safe',
    facts: ['there are two primaries', 'the old primary refuses writes: NOREPLICAS'],
    outcomes: { A: 'DEPENDENCY.DOWN', B: 'APPLIED' },
  },
  {
    drill: 'split-brain/token-lua',
    verdict: 'violated',
    facts: ['there are two primaries', 'every write of the old primary is lost'],
    outcomes: { A: 'APPLIED', B: 'APPLIED' },
    figures: { 'of them lost when it was demoted': 1000 },
  },
  {
    drill: 'sentinel/fenced',
    verdict: 'safe',
    facts: ['all Sentinels name the same replica', 'an election took place: the epoch has increased'],
    outcomes: { A: 'APPLIED', B: 'LOCK.FENCED' },
  },
  {
    drill: 'cluster/token-lua',
    verdict: 'violated',
    facts: ['B held the same lock', 'B ran a script on the new primary'],
    outcomes: { A: 'APPLIED', B: 'APPLIED' },
    figures: { 'scripts that the new primary did not have': 1 },
  },
];

test.each(ROWS)(
  '$drill: $verdict',
  async ({ drill: name, verdict: expected, facts, outcomes, figures = {} }) => {
    const { evidence, verdict } = await play(name);
    expect(evidence.facts.filter(({ holds }) => !holds)).toEqual([]);
    expect(verdict).toMatchObject({ verdict: expected, asExpected: true });
    expect(evidence.facts).toEqual(expect.arrayContaining(facts.map((text) => ({ text, holds: true }))));
    expect(Object.fromEntries(evidence.buyers.map(({ name, code }) => [name, code]))).toEqual(outcomes);
    expect(evidence.figures).toMatchObject(figures);
  },
);
