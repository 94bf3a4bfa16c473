import {
  EXPLORE_OPTIONS,
  Schedule,
  after,
  before,
  breachesOf,
  cellOf,
  explore,
  planOf,
  readToken,
  replay,
  reportCard,
  scheduleTokenOf,
  shrink,
  verify,
  worstWitness,
  writeToken,
  type Tally,
} from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import { createConnection } from 'mysql2/promise';
import { servers } from '../harness/servers';
import { openOwnFiles } from './own-files';

const { world, explorer, ofFile } = openOwnFiles(__filename);

/** A lock with SET NX PX that looks again every 100 ms; `release` is the command that gives it up. */
const polling = (release: string): string => `
  let count = 0;
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs, waitMs }) {
      const token = process.pid + '-' + ++count;
      const until = Date.now() + waitMs;
      while ((await redis.set(resource, token, 'PX', leaseMs, 'NX')) !== 'OK') {
        if (Date.now() >= until) return undefined;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return { resource, token };
    },
    release: ({ resource, token }) => ${release},
  });`;
const DELETES = polling('redis.del(resource)');
const COMPARES = polling(
  `redis.eval("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0", 1, resource, token)`,
);

const tallies = new Map<string, Promise<Tally>>();

/** All schedules of a lock in a cell; each exploration runs once for all tests. */
function tallyOf(strategy: Strategy, cell: string): Promise<Tally> {
  const name = `${strategy.name} ${cell}`;
  const found = tallies.get(name) ?? explore(world(), planOf(strategy, cellOf(cell)), { max: 300 });
  tallies.set(name, found);
  return found;
}

test('a lock that deletes whatever it finds releases the lock of another holder; one that compares does not', async () => {
  const deletes = await tallyOf(ofFile('deletes.js', DELETES), 'lapse at release');
  const compares = await tallyOf(ofFile('compares.js', COMPARES), 'lapse at release');
  expect([...deletes.kinds.keys()]).toContain('foreign-release');
  expect([compares.partial, [...compares.kinds.keys()]]).toEqual([false, []]);
});

test('a search for the breach of a promise does not end when it finds wrong data, and ends when it finds the breach', async () => {
  const plan = planOf(ofFile('deletes.js', DELETES), cellOf('lapse'));
  const anything = await explore(world(), plan, { max: 300, enough: 1 });
  const release = await explore(world(), plan, { max: 300, enough: 1, lookFor: [['foreign-release']] });
  const never = await explore(world(), plan, {
    max: 300,
    enough: 1,
    lookFor: [['foreign-release'], ['torn-cart']],
  });
  const all = await tallyOf(ofFile('deletes.js', DELETES), 'lapse');
  expect(anything.harms['data-wrong']).toBeGreaterThan(0);
  expect(release.kinds.has('foreign-release')).toBe(true);
  expect([anything.partial, release.partial, never.partial, never.schedules]).toEqual([
    true,
    true,
    false,
    all.schedules,
  ]);
});

test('the timers of a lock follow the time of the schedule: a wait of one lease is a few steps, and takes no time', async () => {
  const s = await Schedule.begin(world(), ofFile('compares.js', COMPARES));
  await s.A.runUntil(after('SET'));
  await s.A.kill();
  const { history } = await s.end();
  expect([s.A.outcome, s.B.outcome]).toEqual(['DIED', 'APPLIED']);
  expect(history.events.filter((event) => event.type === 'step' && event.actor === 'B').length).toBeLessThan(
    25,
  );
});

test('a waiter gives up in the time of the schedule', async () => {
  const s = await Schedule.begin(world(), ofFile('compares.js', COMPARES), {
    options: { leaseMs: 60_000, waitMs: 5000 },
  });
  await s.A.runUntil(after('SET'));
  await s.A.kill();
  await s.end();
  expect(s.B.outcome).toBe('LOCK.NOT_OBTAINED');
});

test('a lock by GET_LOCK does not wait for a lock of the same name outside of the exploration', async () => {
  const strategy = ofFile(
    'get-lock.js',
    `exports.createLock = ({ sql }) => ({
       async acquire(resource, { waitMs }) {
         const runner = sql.createQueryRunner();
         const [{ taken }] = await runner.query("SELECT GET_LOCK('the, lock', ?) AS taken", [waitMs / 1000]);
         if (taken === 1) return runner;
         await runner.release();
       },
       async release(runner) {
         await runner.query("DO RELEASE_LOCK('the, lock')");
         await runner.release();
       },
     });`,
  );
  const outside = await createConnection(servers().mysql);
  try {
    await outside.query("DO GET_LOCK('the, lock', 0)");
    const tally = await tallyOf(strategy, 'two processes');
    expect([tally.partial, [...tally.kinds.keys()], tally.prevented.waits > 0]).toEqual([false, [], true]);
  } finally {
    await outside.end();
  }
});

test('a flag in a variable of the module is convicted: it excludes the requests of one process only', async () => {
  const strategy = ofFile(
    'flag.ts',
    `let isLocked: boolean = false;
     export const createLock = () => ({
       async acquire() {
         while (isLocked) await new Promise((resolve) => setTimeout(resolve, 50));
         isLocked = true;
         return 'held';
       },
       async release() { isLocked = false; },
     });`,
  );
  const one = await tallyOf(strategy, 'same process');
  const two = await tallyOf(strategy, 'two processes');
  expect([one.partial, [...one.kinds.keys()]]).toEqual([false, []]);
  expect([...two.kinds.keys()]).toEqual(expect.arrayContaining(['oversold', 'lost-update']));
});

test('a token of a lock is replayed with its file', async () => {
  const strategy = ofFile('deletes.js', DELETES);
  const plan = planOf(strategy, cellOf('lapse'));
  const worst = worstWitness(await tallyOf(strategy, 'lapse'));
  if (worst === undefined) throw new Error('no violation was found');
  const played = await shrink(world(), plan, worst.witness.choices, worst.kind);
  const token = writeToken(scheduleTokenOf(plan.setup, played));
  const again = await replay(world(), readToken(token, strategy));
  expect([again.sameCode, again.verdict.violations.map(({ kind }) => kind)]).toEqual([
    true,
    played.verdict.violations.map(({ kind }) => kind),
  ]);
  expect(() => readToken(token)).toThrow('there is no strategy "own-deletes"');
});

test('each broken promise has a schedule that breaks this promise, not another one', async () => {
  const strategy = ofFile('deletes.js', DELETES);
  const { cells } = await verify(explorer(), strategy, 600_000, {
    signal: new AbortController().signal,
    promises: ['survivesSlowWork', 'survivesLapse', 'releasesOnlyItsOwn'],
    max: 60,
  });
  const broken = reportCard(cells).filter(({ state }) => state === 'broken');
  expect(broken.map(({ capability }) => capability)).toEqual(
    expect.arrayContaining(['survivesLapse', 'releasesOnlyItsOwn']),
  );
  for (const { capability, token = '', sentence } of broken) {
    const { verdict } = await replay(world(), readToken(token, strategy));
    const shown = verdict.violations.filter(({ kind }) => breachesOf(capability).includes(kind));
    expect([capability, shown.length > 0, sentence]).toEqual([capability, true, expect.stringMatching(/../)]);
  }
});

test.each([
  ['says whether it is held', "isHeld: async (resource) => (await redis.get(resource)) === 'x'", 'GET'],
  ['is extended', 'extend: async (resource, ms) => (await redis.pexpire(resource, ms)) === 1', 'PEXPIRE'],
])('a lock that %s before the write sells nothing after its loss', async (_, method, verb) => {
  const s = await Schedule.begin(
    world(),
    ofFile(
      `${verb}.js`,
      `exports.createLock = ({ redis }) => ({
         async acquire(resource, { leaseMs }) {
           return (await redis.set(resource, 'x', 'PX', leaseMs, 'NX')) === 'OK' ? resource : undefined;
         },
         ${method},
         release: (resource) => redis.del(resource),
       });`,
    ),
    { options: { ...EXPLORE_OPTIONS } },
  );
  await s.A.runUntil(before(verb));
  await s.lapse();
  await s.A.finish();
  await s.end();
  expect(s.A.outcome).toBe('LOCK.LOST');
});

test.each([
  ['nothing.js', 'exports.answer = 42;', 'it exports neither a lock nor a strategy'],
  ['object.js', 'exports.createLock = {};', 'createLock must be a function'],
  [
    'lacks.js',
    "exports.lacks = ['everything']; exports.createLock = () => ({});",
    'renewsOnlyItsOwn, failsClosed, givesUpInTime; not everything',
  ],
  ['module.js', 'export const createLock = () => ({});', 'must have the extension .mjs'],
  ['needs.js', "exports.needs = ['kafka']; exports.createLock = () => ({});", 'needs may only be'],
  ['throws.js', "throw new Error('no licence');", 'no licence'],
  ['syntax.js', 'exports.createLock = (', 'cannot be loaded'],
])('%s is refused with what is wrong', (name, text, why) => {
  expect(() => ofFile(name, text)).toThrow(why);
});

test('a strategy may be the exports themselves', () => {
  const strategy = ofFile(
    'apply.js',
    "module.exports = { name: 'mine', lacks: ['survivesLapse'], apply: () => undefined };",
  );
  expect(strategy).toMatchObject({ name: 'own-apply', lacks: ['survivesLapse'] });
});
