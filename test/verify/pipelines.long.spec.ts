import {
  after,
  before,
  cellOf,
  explore,
  planOf,
  play,
  replay,
  Schedule,
  scheduleTokenOf,
} from '#lab/explore';
import { EXPLORATION_MS } from '../harness/limits';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

/** A lock that polls. `tries` and `releases` are bodies of functions: of `resource`, `token` and `leaseMs`. */
const polling = (tries: string, releases: string): string => `
  exports.createLock = ({ redis }) => {
    const tries = async (resource, token, leaseMs) => { ${tries} };
    return {
      async acquire(resource, { leaseMs, waitMs }) {
        const token = require('node:crypto').randomUUID();
        const until = Date.now() + waitMs;
        while (!(await tries(resource, token, leaseMs))) {
          if (Date.now() > until) return undefined;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        return { resource, token };
      },
      release: async ({ resource, token }) => { ${releases} },
    };
  };`;

const SETNX_IN_PIPELINE = polling(
  "const [[, reply]] = await redis.pipeline().setnx(resource, '1').exec(); return reply === 1;",
  'await redis.pipeline().del(resource).exec();',
);
/** GET, then SET: two buyers may both see no key. */
const readsFirst = (begin: string): string =>
  polling(
    `const [[, value]] = await ${begin}.get(resource).exec();
     if (value !== null) return false;
     await ${begin}.set(resource, '1', 'PX', leaseMs).exec();
     return true;`,
    `await ${begin}.del(resource).exec();`,
  );
const setInMulti = (releases: string): string =>
  polling(
    "const [[, reply]] = await redis.multi().set(resource, token, 'PX', leaseMs, 'NX').exec(); return reply === 'OK';",
    releases,
  );
const DELETES = setInMulti('await redis.multi().del(resource).exec();');
const COMPARES = setInMulti(
  `await redis.eval("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0", 1, resource, token);`,
);
/** Optimistic: EXEC changes the key only if no other client has changed it since WATCH. */
const watching = (inMulti: (command: string) => string): string =>
  polling(
    `await redis.watch(resource);
     if ((await redis.get(resource)) !== null) { await redis.unwatch(); return false; }
     return (await ${inMulti("set(resource, token, 'PX', leaseMs)")}) !== null;`,
    `await redis.watch(resource);
     if ((await redis.get(resource)) === token) await ${inMulti('del(resource)')};
     else await redis.unwatch();`,
  );
const WATCHES = watching((command) => `redis.multi().${command}.exec()`);
const WATCHES_IN_SINGLE_COMMANDS = watching(
  (command) => `(await redis.multi({ pipeline: false }), await redis.${command}, redis.exec())`,
);

test.each([
  ['setnx-in-pipeline.js', SETNX_IN_PIPELINE, 'kill', 'stuck'],
  ['reads-first-in-pipeline.js', readsFirst('redis.pipeline()'), 'same process', 'oversold'],
  ['reads-first-in-multi.js', readsFirst('redis.multi()'), 'same process', 'oversold'],
  ['deletes-in-multi.js', DELETES, 'lapse at release', 'foreign-release'],
] as const)(
  '%s: the flaw is found, and its schedule replays',
  async (file, code, cell, kind) => {
    const plan = planOf(ofFile(file, code), cellOf(cell));
    const { kinds, witnesses } = await explore(world(), plan, { max: 300 });
    expect([...kinds.keys()]).toContain(kind);
    const { choices } = witnesses.get(kind) ?? { choices: [] };
    const token = scheduleTokenOf(plan.setup, await play(world(), plan.setup, choices, { strict: true }));
    expect(token.kinds).toContain(kind);
    for (let n = 0; n < 3; n++) await replay(world(), token);
  },
  EXPLORATION_MS,
);

test.each(['same process', 'kill', 'lapse at release'])(
  'SET NX in a MULTI, and a release that compares: %s shows no flaw in any schedule',
  async (cell) => {
    const plan = planOf(ofFile('compares.js', COMPARES), cellOf(cell));
    const { partial, kinds } = await explore(world(), plan, { max: 1000 });
    expect([partial, [...kinds.keys()]]).toEqual([false, []]);
  },
  EXPLORATION_MS,
);

test('each command of a pipeline is a step; MULTI with its commands is one', async () => {
  const several = polling(
    `await redis.pipeline().get('first').multi().set('second', 1).exec().get('third').exec();
     return (await redis.multi().setnx(resource, token).pexpire(resource, leaseMs).exec()) !== null;`,
    'await redis.del(resource);',
  );
  const s = await Schedule.begin(world(), ofFile('several.js', several), { processes: ['p1'] });
  const { history } = await s.end();
  const texts = history.events.flatMap((event) =>
    event.type === 'step' && event.kind === 'redis' ? event.text : [],
  );
  expect(texts).toEqual([
    ...['GET first', 'MULTI', 'SET second 1', 'EXEC', 'GET third'],
    expect.stringMatching(/^MULTI; SETNX \S+ \S+; PEXPIRE \S+ 10000; EXEC$/),
    expect.stringMatching(/^DEL /),
  ]);
});

describe.each([
  ['multi()', 'watches.js', WATCHES],
  ['MULTI in single commands', 'watches-in-single-commands.js', WATCHES_IN_SINGLE_COMMANDS],
])('a lock by WATCH and %s', (_, file, code) => {
  test('its holder releases it, also when others have tried to take it', async () => {
    const s = await Schedule.begin(world(), ofFile(file, code), { stock: 2 });
    await s.A.runUntil(before('SELECT'));
    await s.B.runTowards(after('UNWATCH'));
    await s.A.runUntil(after('GET'));
    const { history } = await s.end();
    expect([s.A.outcome, s.B.outcome]).toEqual(['APPLIED', 'APPLIED']);
    const replies = history.events.flatMap((event) =>
      event.type === 'step' && /EXEC$/.test(event.text) ? [event.reply] : [],
    );
    expect(replies).toHaveLength(4);
    expect(replies).not.toContain(null);
  });

  test('EXEC is aborted when another has taken the lock since WATCH', async () => {
    const s = await Schedule.begin(world(), ofFile(file, code), { stock: 2 });
    await s.A.runUntil(after('GET'));
    await s.B.runUntil(before('SELECT'));
    const { history } = await s.end();
    const aborted = history.events.filter((event) => event.type === 'step' && event.reply === null);
    expect(aborted).toContainEqual(
      expect.objectContaining({ actor: 'A', text: expect.stringMatching(/EXEC$/) as string }),
    );
    expect([s.A.outcome, s.B.outcome]).toEqual(['APPLIED', 'APPLIED']);
  });

  test(
    'what a killed holder has left open on its connection does not reach the next schedule',
    async () => {
      const plan = planOf(ofFile(file, code), cellOf('kill'));
      const { kinds } = await explore(world(), plan, { max: 200 });
      expect([...kinds.keys()]).toEqual([]);
    },
    EXPLORATION_MS,
  );
});

test('a script of another buyer does not abort EXEC when it changes nothing', async () => {
  const mixed = polling(
    `return (await redis.eval("return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])", 1, resource, token, leaseMs)) !== null;`,
    `await redis.watch(resource);
     if ((await redis.get(resource)) === token) await redis.multi().del(resource).exec();`,
  );
  const s = await Schedule.begin(world(), ofFile('mixed.js', mixed), { stock: 2 });
  await s.A.runUntil(after('GET'));
  await s.B.runUntil(after('EVAL'));
  await s.A.finish();
  const { history } = await s.end();
  const [exec] = history.events.filter((event) => event.type === 'step' && event.verb === 'MULTI');
  expect(exec).toMatchObject({ actor: 'A', reply: [[null, 1]] });
});
