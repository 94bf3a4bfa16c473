/**
 * Scenario: the critical section takes longer than the lease (for example because of a slow remote call).
 *
 * Why it breaks: the key expires while its holder still works, and the second holder reads a balance that the
 * first one has not written yet.
 *
 * Fix: a watchdog that renews the lease while the process runs; it does not help when the process itself is paused
 * (see a-watchdog-cannot-stop-a-statement-that-has-left).
 */
import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test.each(['expiring', 'token-checked', 'token-lua'])(
  '%s: the second holder reads the balance before the first one has written it',
  async (name) => {
    const s = await Schedule.begin(world, findStrategy(name), { options: { workMs: 10_000 } });
    await s.A.runUntil(before('WORK'));
    await s.A.slow();
    await s.B.finish();
    await s.A.finish();
    const { verdict } = await s.end();
    expect(verdict.violations.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['oversold', 'lost-update', 'overlap']),
    );
  },
);

test('watchdog: the lease is renewed while the work continues, and no second holder enters', async () => {
  const s = await Schedule.begin(world, findStrategy('watchdog'), { options: { workMs: 10_000 } });
  await s.A.runUntil(before('WORK'));
  await s.A.slow();
  await s.B.finish();
  expect(s.B.next).toMatchObject({ verb: 'WAIT' });
  await s.A.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations).toEqual([]);
  const renewals = history.events.filter(
    (event) => event.type === 'step' && event.script === 'renew-if-owner',
  );
  expect(renewals.length).toBeGreaterThanOrEqual(6); // two and a half leases with three renewals each
});
