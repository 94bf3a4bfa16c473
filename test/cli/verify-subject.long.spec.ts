import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Checkout } from './support';
import { expectBadUsage } from './usage';

const checkout = new Checkout('verify-subject');
afterAll(() => checkout.remove());

const json = join(checkout.root, 'subject.json');

interface SubjectJson {
  readonly results: readonly { readonly faults: string; readonly state: string; readonly token?: string }[];
}

const results = (): SubjectJson['results'] => (JSON.parse(readFileSync(json, 'utf8')) as SubjectJson).results;

/** Writes a subject beside the checkout whose actors redeem one coupon, and returns its path. */
function write(name: string, redeem: string): string {
  const path = join(checkout.root, name);
  writeFileSync(
    path,
    `const redeem = async ({ sql }) => { ${redeem} };
    exports.subject = {
      setUp: ({ sql }) => sql.query('CREATE TABLE coupon (code INT PRIMARY KEY, used INT NOT NULL)'),
      prepare: ({ sql }) => sql.query('REPLACE INTO coupon VALUES (1, 0)'),
      actors: [redeem, redeem],
      invariants: {
        'a coupon is redeemed once': (_, outcomes) => outcomes.filter(({ value }) => value === 'yes').length <= 1,
      },
    };`,
  );
  return path;
}

test('a subject with a race exits with 1, and its token shows the race again', async () => {
  const file = write(
    'racy.js',
    `const [{ used }] = await sql.query('SELECT used FROM coupon');
    if (used) return 'no';
    await sql.query('UPDATE coupon SET used = 1');
    return 'yes';`,
  );
  const { code, stdout } = await checkout.run('verify', file, '--budget', '60s', '--json', json);
  const [withoutFault] = results();
  const token = withoutFault?.token ?? '';
  expect([code, withoutFault?.faults, withoutFault?.state]).toEqual([1, '', 'BROKEN']);
  expect(stdout).toContain('"a coupon is redeemed once" is false');
  expect(stdout).toContain(`npx lab replay ${token} --with `);
  expect(stdout).toMatch(/^BROKEN +kill:1 .*, as without a fault$/m);

  const again = await checkout.run('replay', token, '--with', file);
  expect(again.stdout).toContain('"a coupon is redeemed once" is false');
  expect(again.code).toBe(0);
  await checkout.expectNoProcess();
});

test('a safe subject of one statement exits with 0: faults that cannot hit it are not applicable', async () => {
  const file = write(
    'safe.js',
    `const { affectedRows } = await sql.query('UPDATE coupon SET used = 1 WHERE used = 0');
    return affectedRows === 1 ? 'yes' : 'no';`,
  );
  const { code, stdout } = await checkout.run('verify', file, '--budget', '3m', '--json', json);
  expect(results().map(({ faults, state }) => `${faults} ${state}`)).toEqual([
    ' kept',
    'kill:1 n/a',
    'lose-reply:1 kept',
    'error:1 kept',
    'lapse:1 n/a',
    'pause:1 n/a',
    'flush:1 n/a',
  ]);
  expect(stdout).toMatch(/^n\/a +flush:1 +\d+ schedules?$/m);
  expect(code).toBe(0);
  await checkout.expectNoProcess();
});

test('a subject with a mistake in its statement exits with 2 and one line', async () => {
  const file = write('mistake.js', "return sql.query('SELEC 1');");
  expectBadUsage(await checkout.run('verify', file, '--quick'), 'no actor returns in any schedule');
  await checkout.expectNoProcess();
});

test('a subject that waits for something that is not seen exits with 2 and one line', async () => {
  const file = write('waits.js', 'await new Promise(() => undefined);');
  expectBadUsage(await checkout.run('verify', file), 'an actor runs without a step');
});

test('a subject with a client of its own exits with 2 and one line, which names the command', async () => {
  const file = join(checkout.root, 'own-client.js');
  writeFileSync(
    file,
    `const { Redis } = require(${JSON.stringify(require.resolve('ioredis'))});
    const count = async ({ redis }) => {
      await redis.incr('observed');
      const own = new Redis(redis.options.port, redis.options.host);
      await own.incr('hidden');
      own.disconnect();
    };
    exports.subject = { actors: [count, count], invariants: { 'it holds': () => true } };`,
  );
  expectBadUsage(await checkout.run('verify', file, '--quick'), '"INCR hidden" to Redis');
  await checkout.expectNoProcess();
});

test('a violation that its schedule does not show again exits with 3 and one line', async () => {
  const file = join(checkout.root, 'once.js');
  writeFileSync(
    file,
    `const { existsSync, writeFileSync } = require('node:fs');
    const isFirst = () => !existsSync(__filename + '.ran') && (writeFileSync(__filename + '.ran', ''), true);
    const read = ({ redis }) => redis.get('a');
    exports.subject = { actors: [read, read], invariants: { 'it is false once': () => !isFirst() } };`,
  );
  const { code, stderr } = await checkout.run('verify', file, '--quick', '--workers', '1');
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /no longer reproduces at step \d+: .*does something that the explorer does not see\n$/,
  );
  expect(stderr).not.toMatch(/^ +at /m);
  await checkout.expectNoProcess();
});

test('channels of pub/sub are apart in two workers, which explore at the same time', async () => {
  const file = join(checkout.root, 'subscriber.js');
  writeFileSync(
    file,
    `const RELEASE = "redis.call('DEL', KEYS[1]) redis.call('PUBLISH', 'freed', 'now') return 1";
    const work = async ({ redis }) => {
      const own = redis.duplicate();
      let wake = () => undefined;
      own.on('message', () => wake());
      await own.subscribe('freed');
      for (;;) {
        const freed = new Promise((resolve) => (wake = resolve));
        if ((await redis.set('lock', 'me', 'NX')) === 'OK') break;
        await freed;
      }
      await redis.eval(RELEASE, 1, 'lock');
      own.disconnect();
    };
    exports.subject = {
      actors: [work, work],
      invariants: { 'both end': (_, outcomes) => outcomes.every(({ state }) => state !== 'waits') },
    };`,
  );
  const { stdout } = await checkout.run('verify', file, '--budget', '10m', '--workers', '2', '--json', json);
  expect(stdout).toContain('"both end" is false'); // a process that dies frees no lock
  expect(results().map(({ faults, state }) => `${faults} ${state}`)).toEqual([
    ' kept',
    'kill:1 BROKEN',
    'lose-reply:1 BROKEN',
    'error:1 BROKEN',
    'lapse:1 n/a',
    'pause:1 kept',
    'flush:1 kept',
  ]);
  await checkout.expectNoProcess();
});
