import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Checkout } from './support';
import { expectBadUsage } from './usage';

const checkout = new Checkout('verify');
afterAll(() => checkout.remove());

const file = join(checkout.root, 'my-lock.js');
const json = join(checkout.root, 'card.json');

interface CardJson {
  readonly promises: readonly {
    readonly capability: string;
    readonly state: string;
    readonly token?: string;
  }[];
  readonly contradictions: readonly string[];
}

const card = (): CardJson => JSON.parse(readFileSync(json, 'utf8')) as CardJson;

/** Writes a file beside the checkout, and returns its path. */
function write(name: string, text: string): string {
  const path = join(checkout.root, name);
  writeFileSync(path, text);
  return path;
}

test('the example has a bug that is found, replayed with the file, and gone when it is mended', async () => {
  expect((await checkout.run('new', 'lock', file)).code).toBe(0);
  const own = ['--only', 'releasesOnlyItsOwn', '--budget', '10m', '--json', json];
  const first = await checkout.run('verify', file, ...own);
  expect(first.code).toBe(1);
  expect(first.stdout).toMatch(/^✗ BROKEN +releasesOnlyItsOwn /m);
  const page = /report +(\S+card\.html)/.exec(first.stdout)?.[1] ?? '';
  expect(readFileSync(join(checkout.root, page), 'utf8')).toContain('promises broken</h1>');
  const [found, ...others] = card().promises;
  expect(others).toEqual([]);
  const again = await checkout.run('replay', found?.token ?? '', '--with', file);
  expect([again.code, again.stdout.includes('foreign-release')]).toEqual([0, true]);

  const text = readFileSync(file, 'utf8')
    .replace("redis.set(resource, 'locked',", 'redis.set(resource, token,')
    .replace('const giveUpAt', "const token = require('node:crypto').randomUUID();\n    const giveUpAt")
    .replace('return { resource };', 'return { resource, token };')
    .replace('async release({ resource })', 'async release({ resource, token })')
    .replace(
      'redis.del(resource)',
      `redis.eval("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0", 1, resource, token)`,
    )
    .replace('// exports.lacks', 'exports.lacks');
  writeFileSync(file, text);
  const mended = await checkout.run('verify', file, ...own);
  expect([mended.code, card().promises]).toMatchObject([
    0,
    [{ capability: 'releasesOnlyItsOwn', state: 'kept' }],
  ]);
  const loaded = await checkout.run('verify', file, '--budget', '5s');
  expect(loaded.stdout).toContain('Under load: SAFE');
  await checkout.expectNoProcess();
}, 900_000);

test('a file that exists is not overwritten, and an unknown template is refused', async () => {
  expectBadUsage(await checkout.run('new', 'lock', file), 'exists and was not changed');
  expectBadUsage(
    await checkout.run('new', 'castle', join(checkout.root, 'x.js')),
    'there is no template "castle"',
  );
  expectBadUsage(
    await checkout.run('new', 'lock', join(checkout.root, 'x.txt')),
    'must end with .ts, .js or .cjs',
  );
});

/** Blocks its thread for ever, as an endless loop does, and leaves the processor to the other tests. */
const BLOCKS = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

test.each([
  ['a file that is not there', 'gone.js', undefined, 'there is no file'],
  ['a file that throws', 'throws.js', "throw new Error('no licence')", 'no licence'],
  ['a file that never ends loading', 'blocks.js', BLOCKS, 'is still being loaded after 30 s'],
  ['a file that exports nothing', 'nothing.js', '', 'it exports neither a lock nor a strategy'],
  ['TypeScript with a mistake', 'mistake.ts', '\nexport const createLock = (', 'mistake.ts:2: '],
  ['JavaScript with a mistake', 'mistake.js', '\nexports.createLock = ;', 'mistake.js:2 cannot be loaded'],
  ['a file that throws lines', 'lines.js', "throw new Error('no\\nlicence')", 'Error: no licence'],
  ['a file that exits', 'exits.mjs', 'process.exit(0);', 'calls process.exit when it is loaded'],
  ['an unknown strategy', 'hope', undefined, 'there is no strategy "hope"'],
])('%s exits with 2 and one line', async (_, name, text, why) => {
  const path = text === undefined ? name : write(name, text);
  expectBadUsage(await checkout.run('verify', path), why);
});

test.each([
  [
    'is never obtained',
    'async acquire() {}, release() {}',
    'a request that is alone sells nothing: LOCK.NOT_OBTAINED',
  ],
  [
    'waits for something that is not seen',
    'acquire: () => new Promise(() => {}), release() {}',
    'runs without a step',
  ],
  ['never returns', 'acquire() { for (;;); }, release() {}', 'loops without awaiting anything'],
  ['exits', 'acquire() { process.exit(0); }, release() {}', 'its code has called process.exit'],
  ['has no release', 'acquire: () => true', 'release is not a function'],
])('a lock that %s is refused with one line', async (_, body, why) => {
  const path = write('odd.js', `exports.createLock = () => ({ ${body} });`);
  expectBadUsage(await checkout.run('verify', path, '--quick'), why);
  await checkout.expectNoProcess();
});

test('commands over a connection of the lock itself are found by what Redis received: nothing is decided', async () => {
  const path = write(
    'own-client.js',
    `const Redis = require('ioredis');
    exports.createLock = ({ redis: { options } }) => {
      const own = new Redis({ port: options.port, db: options.db });
      return {
        acquire: async (resource, { leaseMs }) => (await own.set(resource, 1, 'PX', leaseMs, 'NX')) ?? undefined,
        release: () => own.quit(),
      };
    };`,
  );
  const { code, stdout } = await checkout.run('verify', path, '--quick', '--json', json);
  expect(code).toBe(3);
  expect(stdout.replace(/\s+/g, ' ')).toContain('Redis received SET lock:{item}:own-own-client 1 PX');
  expect(new Set(card().promises.map(({ state }) => state))).toEqual(new Set(['unknown']));
});

test('keys that a lock leaves behind are named', async () => {
  const path = write(
    'leaves.js',
    `exports.createLock = ({ redis }) => ({
      async acquire(resource, { leaseMs }) {
        await redis.incr('tries');
        return (await redis.set(resource, 1, 'PX', leaseMs, 'NX')) ?? undefined;
      },
      release: () => redis.del('lock'),
    });`,
  );
  const { stdout } = await checkout.run('verify', path, '--quick', '--json', json);
  expect(stdout).toContain('left behind by a request: the key tries, which never expires');
});

test.each([
  ['js', 'exports.createLock ='],
  ['mts', 'export const createLock ='],
])('replicas load a .%s file, and requests choose its strategy by name', async (extension, exported) => {
  const path = write(
    `no-lock.${extension}`,
    `${exported} () => ({ acquire: async () => ({}), release() {} });`,
  );
  const { code, stdout } = await checkout.run('load', '--with-strategy', path, '--work-ms', '5');
  expect(stdout).toContain('own-no-lock: 500 orders');
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(/\d+ units? oversold/) as string,
  });
  await checkout.expectNoProcess();
});
