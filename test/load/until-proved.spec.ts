import { untilProved, type Judged } from '#load-tests/run';

const says = (verdict: Judged['verdict']['verdict'], because = ''): Judged => ({
  verdict: { verdict, because: [because] },
});

async function play(...runs: readonly Judged[]): Promise<{ played: number; told: string[]; last: Judged }> {
  const told: string[] = [];
  let played = 0;
  const next = (): Promise<Judged> => Promise.resolve(runs[played++] ?? says('safe', 'once too often'));
  const last = await untilProved(next, (because) => told.push(because));
  return { played, told, last };
}

test('what proves something is played once, also when it is not what was hoped for', async () => {
  expect(await play(says('violated'))).toMatchObject({ played: 1, told: [] });
});

test('what proves nothing is played again, and the reason is told', async () => {
  const { played, told, last } = await play(says('unknown', 'nobody met'), says('safe'));
  expect({ played, told, last }).toEqual({ played: 2, told: ['nobody met'], last: says('safe') });
});

test('what never proves anything says so in the end', async () => {
  const nothing = says('unknown', 'nobody met');
  const { played, told, last } = await play(nothing, nothing, nothing);
  expect({ played, told, last }).toEqual({ played: 3, told: ['nobody met', 'nobody met'], last: nothing });
});
