import { Schedule, after, before } from '#lab/explore';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

/** A strategy that polls a lock. `acquire` and `release` are expressions of its code. */
const polling = (name: string, acquire: string, release: string): string => `
  exports.${name} = {
    async apply(change, { balances, clock, redis, sql, options, process }) {
      const key = 'lock:{' + change.balance + '}:own';
      const until = clock.now() + options.waitMs;
      await sql.query('CREATE TABLE IF NOT EXISTS polled_locks (name VARCHAR(100) PRIMARY KEY, owner VARCHAR(40))');
      while (!(await (${acquire}))) {
        if (clock.now() >= until) throw new Error('the lock was not free');
        await clock.sleep(options.retryMs, 'WAIT', key);
      }
      try {
        const amount = await balances.read(change.balance);
        return await balances.write(change, amount + change.delta);
      } finally {
        await ${release};
      }
    },
  };`;

const IN_SCRIPT = polling(
  'inScript',
  `redis.eval("return redis.call('SET', ARGV[1], ARGV[2], 'NX', 'PX', 10000)", 0, key, change.request)`,
  `redis.eval("return redis.call('DEL', ARGV[1])", 0, key)`,
);
const IN_TABLE = polling(
  'inTable',
  `sql.query('INSERT INTO polled_locks VALUES (?, ?)', [key, change.request]).catch(() => false)`,
  `sql.query('DELETE FROM polled_locks WHERE name = ?', [key])`,
);

test.each([
  ['a key that a script does not declare', 'in-script.js', IN_SCRIPT, 'EVAL', 'EVAL'],
  ['a row of its own table', 'in-table.js', IN_TABLE, 'INSERT INTO polled_locks', 'DELETE'],
])('a waiter for %s waits until the lock has changed', async (_, file, text, acquires, releases) => {
  const schedule = await Schedule.begin(world(), ofFile(file, text), { stock: 2 });
  const { A, B } = schedule;
  await A.runUntil(after(acquires));
  expect(A.next?.text).not.toContain('WAIT');
  await B.runUntil(after(acquires));
  expect(B.next).toMatchObject({ verb: 'WAIT' });
  expect(B.canMove).toBe(false);
  await A.runUntil(before(releases));
  expect(B.canMove).toBe(false);
  await A.step();
  expect(B.canMove).toBe(true);
  await schedule.end();
});
