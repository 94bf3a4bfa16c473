import { untilProved, type Judged } from '#load-tests/run';

const judged = (verdict: Judged['verdict']['verdict'], because = ''): Judged => ({
  verdict: { verdict, because: [because] },
});

async function runUntilProved(
  ...runs: readonly Judged[]
): Promise<{ played: number; reasons: string[]; last: Judged }> {
  const reasons: string[] = [];
  let played = 0;
  const next = (): Promise<Judged> => Promise.resolve(runs[played++] ?? judged('safe', 'once too often'));
  const last = await untilProved(next, (because) => reasons.push(because));
  return { played, reasons, last };
}

test('a run that proves something is not repeated, even with an unexpected verdict', async () => {
  expect(await runUntilProved(judged('violated'))).toMatchObject({ played: 1, reasons: [] });
});

test('a run that proves nothing is repeated, and the reason is reported', async () => {
  const { played, reasons, last } = await runUntilProved(judged('unknown', 'no contention'), judged('safe'));
  expect({ played, reasons, last }).toEqual({ played: 2, reasons: ['no contention'], last: judged('safe') });
});

test('the last run is returned when no run proves anything', async () => {
  const nothing = judged('unknown', 'no contention');
  const { played, reasons, last } = await runUntilProved(nothing, nothing, nothing);
  expect({ played, reasons, last }).toEqual({
    played: 3,
    reasons: ['no contention', 'no contention'],
    last: nothing,
  });
});
