import { SAFE } from '#lab/strategy';
import { judgeDrill, type DrillEvidence } from '#lab/verdict';

const sale = (request: string, before: number, after: number): DrillEvidence['movements'][number] => ({
  balance: 'item',
  segment: null,
  request,
  delta: before > after ? after - before : 0,
  before,
  after,
});

/** Two buyers overlapped, and one of them bought the only unit. */
const sound: DrillEvidence = {
  strategy: 'token-lua',
  initial: 1,
  final: 0,
  movements: [sale('A', 1, 0)],
  buyers: [
    { name: 'A', code: 'APPLIED', text: '' },
    { name: 'B', code: 'STOCK.SOLD_OUT', text: '' },
  ],
  facts: [{ text: 'the primary is dead', holds: true }],
  figures: {},
  timeline: [],
};

test('one unit, one sale: safe', () => {
  expect(judgeDrill(sound, SAFE)).toMatchObject({
    verdict: 'safe',
    sold: 1,
    violations: [],
    asExpected: true,
  });
});

test('one unit sold twice: violated, and as expected only if documented', () => {
  const twice = {
    ...sound,
    movements: [sale('B', 1, 0), sale('A', 1, 0)],
    buyers: sound.buyers.map((buyer) => ({ ...buyer, code: 'APPLIED' })),
  };
  const documented = { must: ['oversold', 'lost-update'], may: [] } as const;
  expect(judgeDrill(twice, documented)).toMatchObject({ verdict: 'violated', sold: 2, asExpected: true });
  expect(judgeDrill(twice, SAFE).asExpected).toBe(false);
  expect(judgeDrill(twice, { must: ['oversold'], may: [] }).asExpected).toBe(false);
  expect(judgeDrill(sound, documented).asExpected).toBe(false);
});

test.each<[string, Partial<DrillEvidence>, string]>([
  ['no fact', { facts: [] }, 'the drill states no facts'],
  [
    'a fact that does not hold',
    { facts: [{ text: 'A held the lock', holds: false }] },
    'this fact does not hold: A held the lock',
  ],
  ['one buyer', { buyers: sound.buyers.slice(0, 1) }, 'fewer than two buyers took part'],
  [
    'a buyer that never finished',
    { buyers: [...sound.buyers.slice(0, 1), { name: 'B', code: 'NO_ANSWER', text: '' }] },
    'B did not finish',
  ],
])('%s proves nothing', (_name, change, because) => {
  const verdict = judgeDrill({ ...sound, ...change }, SAFE);
  expect(verdict).toMatchObject({ verdict: 'unknown', asExpected: false });
  expect(verdict.because).toContain(because);
});
