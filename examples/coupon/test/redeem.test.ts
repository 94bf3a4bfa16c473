import 'reflect-metadata';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Redis } from 'ioredis';
import { explore, InvariantViolated, startServers, type Explored, type Faults } from 'oversell-lab/kit';
import { DataSource } from 'typeorm';
import { Coupon, Redemption, UniqueRedemption } from '../src/coupon.entities.js';
import {
  FencedRedeem,
  RacyRedeem,
  RowLockRedeem,
  UniqueKeyRedeem,
  type Redeems,
} from '../src/redeem.services.js';

interface Clients {
  readonly db: DataSource;
  readonly redis: Redis;
}

let servers: Awaited<ReturnType<typeof startServers>>;
before(async () => {
  servers = await startServers();
});
after(() => servers.stop());

/** Two customers redeem one coupon at the same time. */
async function redeemTwice(
  name: string,
  make: (clients: Clients) => Redeems,
  more: { readonly faults?: Faults; readonly token?: string } = {},
): Promise<Explored> {
  const result = await explore<Clients>({
    name,
    servers,
    seconds: 900, // every schedule is run, also on a slow machine
    ...more,
    connect: ({ mysql, redis }) => ({
      db: new DataSource({ type: 'mysql', url: mysql, entities: [Coupon, Redemption, UniqueRedemption] }),
      redis: new Redis(redis),
    }),
    setUp: ({ db }) => db.synchronize(),
    prepare: async ({ db }) => {
      await db.query('DELETE FROM redemption');
      await db.query('DELETE FROM unique_redemption');
      await db.query("REPLACE INTO coupon (code, redeemedBy, fence) VALUES ('SPRING', NULL, 0)");
    },
    actors: [
      (clients) => make(clients).redeem('SPRING', 'ann'),
      (clients) => make(clients).redeem('SPRING', 'ben'),
    ],
    invariants: {
      'a coupon is redeemed once': async ({ db }) => {
        const rows = await redemptions(db);
        return rows.length <= 1 || `${rows.join(' and ')} redeemed it`;
      },
      'a customer with an answer has a redemption': async ({ db }, outcomes) => {
        const rows = await redemptions(db);
        const answered = outcomes
          .filter(({ state }) => state === 'returned')
          .map(({ actor }) => (actor === 'A' ? 'ann' : 'ben'));
        return (
          answered.every((customer) => rows.includes(customer)) ||
          `${answered.join()} received an answer, ${rows.join()} have a redemption`
        );
      },
    },
  });
  console.log(`${name}: ${result.schedules} schedules, ${Math.round(result.schedules / result.seconds)}/s`);
  return result;
}

const redemptions = async (db: DataSource): Promise<string[]> => {
  const rows: { customer: string }[] = await db.query(
    'SELECT customer FROM redemption UNION ALL SELECT customer FROM unique_redemption',
  );
  return rows.map(({ customer }) => customer);
};

test('check, then insert: two customers redeem the coupon, and the token shows it again', async () => {
  const racy = (more = {}): Promise<Explored> => redeemTwice('racy', ({ db }) => new RacyRedeem(db), more);
  const found: unknown = await racy().catch((error: unknown) => error);
  assert(found instanceof InvariantViolated, String(found));
  assert.match(found.message, /"a coupon is redeemed once" is false: (ann and ben|ben and ann) redeemed it/);
  assert.match(found.lanes, /INSERT INTO `redemption`/);
  await assert.rejects(racy({ token: found.token }), InvariantViolated);
});

test('a unique key', async () => {
  const { complete, schedules } = await redeemTwice('unique-key', ({ db }) => new UniqueKeyRedeem(db));
  assert(complete && schedules > 1);
});

test('SELECT … FOR UPDATE, also when a process is killed', async () => {
  const { complete } = await redeemTwice('row-lock', ({ db }) => new RowLockRedeem(db));
  const killed = await redeemTwice('row-lock-killed', ({ db }) => new RowLockRedeem(db), {
    faults: { kill: 1 },
  });
  assert(complete && killed.complete);
});

test('a lock in Redis with a fencing token, also when its lease ends early', async () => {
  const { complete } = await redeemTwice('fenced', ({ db, redis }) => new FencedRedeem(db, redis));
  const lapsed = await redeemTwice('fenced-lapse', ({ db, redis }) => new FencedRedeem(db, redis), {
    faults: { lapse: 1 },
  });
  assert(complete && lapsed.complete);
});
