import { Schedule, before, type World } from '#lab/explore';
import { findStrategy, type Options } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const begin = (name: string, options: Partial<Options> = {}, stock = 2): Promise<Schedule> =>
  Schedule.begin(world, findStrategy(name), { options, stock });
const beforeWrite = before('UPDATE balance SET amount');

describe('optimistic', () => {
  test.each([
    [1, 'SQL.CONFLICT', 1],
    [2, 'APPLIED', 2],
  ])('with %i attempts and one lost race the outcome is %s', async (attempts, outcome, sold) => {
    const schedule = await begin('optimistic', { attempts });
    await schedule.A.runUntil(beforeWrite);
    await schedule.B.finish();
    await schedule.A.finish();
    const { history } = await schedule.end();
    expect(schedule.A.outcome).toBe(outcome);
    expect(history.final).toMatchObject({ amount: 2 - sold });
    expect(history.final.movements).toHaveLength(sold);
  });
});

describe.each(['fenced', 'fenced-write'])('%s', (name) => {
  test('refuses a holder whose lease ended after the next holder has sold', async () => {
    const schedule = await begin(name);
    await schedule.A.runUntil(beforeWrite);
    schedule.A.pause();
    await schedule.lapse();
    await schedule.B.finish();
    await schedule.A.resume();
    await schedule.A.finish();
    const { history } = await schedule.end();
    expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['LOCK.FENCED', 'APPLIED']);
    expect(history.final.amount).toBe(1);
  });

  test('refuses every request after Redis has lost the token counter, and oversells nothing', async () => {
    const schedule = await begin(name);
    await schedule.A.finish();
    await schedule.flush();
    await schedule.B.finish();
    const { history } = await schedule.end();
    expect(schedule.B.outcome).toBe('LOCK.FENCED');
    expect(history.final).toMatchObject({ amount: 1, locks: [] });
  });
});

test('reentrant: a nested call whose lock has ended does not acquire it again', async () => {
  const schedule = await begin('reentrant');
  await schedule.A.step();
  schedule.A.pause();
  await schedule.lapse();
  await schedule.A.resume();
  await schedule.A.finish();
  await schedule.end();
  expect(schedule.A.outcome).toBe('LOCK.LOST');
});

test('redis-decr: a count lost with Redis is reloaded and oversells nothing', async () => {
  const schedule = await begin('redis-decr', {}, 1);
  await schedule.A.runUntil(beforeWrite);
  await schedule.flush();
  await schedule.B.finish();
  await schedule.A.finish();
  const { history } = await schedule.end();
  expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['STOCK.SOLD_OUT', 'APPLIED']);
  expect(history.final).toMatchObject({ amount: 0 });
});

test('mysql-named-lock: another buyer waits in the database and gives up after waitMs', async () => {
  const schedule = await begin('mysql-named-lock', { waitMs: 1000 });
  await schedule.A.runUntil(beforeWrite);
  await schedule.B.finish();
  expect(schedule.B.outcome).toBeUndefined();
  await schedule.A.slow();
  await schedule.B.finish();
  expect(schedule.B.outcome).toBe('LOCK.NOT_OBTAINED');
  await schedule.end();
});
