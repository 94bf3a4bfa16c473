import type { DrillRun } from '#load-tests/drills';
import { openDrills } from './support';

const playDrill = openDrills(['zookeeper', 'etcd']);

/** Runs a drill and checks that all its facts hold. */
async function play(name: string): Promise<DrillRun & { readonly codes: readonly string[] }> {
  const run = await playDrill(name);
  expect(run.evidence.facts.filter(({ holds }) => !holds)).toEqual([]);
  expect(run.evidence.facts.length).toBeGreaterThan(2);
  return { ...run, codes: run.evidence.buyers.map(({ name: buyer, code }) => `${buyer} ${code}`) };
}

const numbersOf = (figure: unknown): number[] => String(figure).split(', ').map(Number);

test.each([
  'session-end/zookeeper',
  'session-end/zookeeper-herd', // its node holds a token, not the name of a buyer
])('%s: a session that ends while its holder is paused leads to two holders: sold twice', async (drill) => {
  const { codes, verdict } = await play(drill);
  expect(codes).toEqual(['A APPLIED', 'B APPLIED']);
  expect(verdict).toMatchObject({ verdict: 'violated', sold: 2, violations: ['oversold', 'lost-update'] });
});

test('with a lease and its revision as fencing token the row refuses the paused holder', async () => {
  const { codes, verdict, evidence } = await play('session-end/etcd-revision');
  expect(codes).toEqual(['A LOCK.FENCED', 'B APPLIED']);
  expect(verdict).toMatchObject({ verdict: 'safe', sold: 1 });
  expect(evidence.figures['fence of B']).toBeGreaterThan(Number(evidence.figures['fence of A']));
});

test('when the leader of three is killed, the holder keeps its lock, the next one gets it afterwards, and no fence repeats', async () => {
  const { codes, verdict, evidence } = await play('leader-killed/zookeeper');
  expect(codes).toEqual(['A APPLIED', 'B STOCK.SOLD_OUT', 'C STOCK.SOLD_OUT']);
  expect(verdict).toMatchObject({ verdict: 'safe', sold: 1 });
  const [a = 0, b = 0, c = 0] = numbersOf(evidence.figures['fences of A, B, C']);
  expect(b).toBeGreaterThan(a);
  // the upper half of a czxid counts elections
  expect(Math.floor(c / 2 ** 32)).toBeGreaterThan(Math.floor(b / 2 ** 32));
});

test('without a majority no lock is granted; with it locks are granted, and nothing is oversold', async () => {
  const { codes, verdict } = await play('quorum-lost/etcd');
  expect(codes).toEqual(['A APPLIED', 'B DEPENDENCY.DOWN', 'C APPLIED']);
  expect(verdict).toMatchObject({ verdict: 'safe', sold: 2 });
});
