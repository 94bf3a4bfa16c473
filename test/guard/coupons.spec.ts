import { findGuard, useNamed, type Guard } from '#lab/guard';
import type { World } from '#lab/explore';
import { openWorld } from '../harness/servers';
import { request, toolsIn } from './tools';

const coupon = useNamed('coupon');
const filter = findGuard('coupon/bloom-filter');
const nullCached = findGuard('coupon/null-cached');

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());
beforeEach(() => world.beginActions(filter, coupon, ['NEW']));

const ask = (guard: Guard, code: string) => guard.apply(request('r', code), toolsIn(world));
const queries = async (): Promise<number> => (await world.effects(coupon)).length;

test.each(coupon.guards.map((guard) => ({ name: guard.name, guard })))(
  '$name: a coupon that exists is found',
  async ({ guard }) => {
    expect(await ask(guard, 'SALE-7')).toEqual({ outcome: 'done', coupon: { percent: 10 } });
    expect(await ask(guard, 'SALE-7')).toEqual({ outcome: 'already-done', coupon: { percent: 10 } });
  },
);

test('null-cached: the second request for an unknown code does not reach the database', async () => {
  expect(await ask(nullCached, 'NEW')).toEqual({ outcome: 'done', coupon: null });
  expect(await ask(nullCached, 'NEW')).toEqual({ outcome: 'already-done', coupon: null });
});

test('null-cached: a coupon that is created after its null was cached is denied', async () => {
  await ask(nullCached, 'NEW');
  await toolsIn(world).sql.query("INSERT INTO coupon (code, percent) VALUES ('NEW', 20)");
  expect(await ask(nullCached, 'NEW')).toMatchObject({ coupon: null });
});

test('bloom-filter: of 2000 unknown codes less than 2% reach the database, and some do', async () => {
  const codes = Array.from({ length: 2000 }, (_, i) => `GUESS-${i}`);
  await Promise.all(codes.map((code) => ask(filter, code)));
  expect(await queries()).toBeGreaterThan(0);
  expect(await queries()).toBeLessThan(0.02 * codes.length);
});

test('bloom-filter: a coupon that was not added when it was created is denied; a deleted one still reaches the database', async () => {
  const { sql } = toolsIn(world);
  await sql.query("INSERT INTO coupon (code, percent) VALUES ('NEW', 20)");
  expect(await ask(filter, 'NEW')).toEqual({ outcome: 'already-done', coupon: null });
  await sql.query("DELETE FROM coupon WHERE code = 'SALE-9'");
  expect(await ask(filter, 'SALE-9')).toEqual({ outcome: 'done', coupon: null });
});

test('bloom-filter: without the filter no coupon is denied', async () => {
  await toolsIn(world).redis.flushdb();
  expect(await ask(filter, 'SALE-7')).toEqual({ outcome: 'done', coupon: { percent: 10 } });
});
