import { Schedule, before, type World } from '#lab/explore';
import { findStrategy, type Strategy, type Tools } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** The number that the server gave to the holder's node or key. */
const TOKENS: Readonly<Record<string, (tools: Tools, request: string) => Promise<number | undefined>>> = {
  zookeeper: async ({ servers }, request) => {
    const { session } = servers.zookeeper;
    const folder = '/lock:{item}:zookeeper';
    const nodes = await Promise.all(
      (await session.children(folder)).map((name) => session.get(`${folder}/${name}`)),
    );
    return nodes.find((node) => node?.content === request)?.czxid;
  },
  etcd: async ({ servers }, request) =>
    (await servers.etcd.list('lock:{item}:etcd/')).find(({ value }) => value === request)?.revision,
};

/** The same lock; the row is shown its number before the read, and asked for it by the write. */
function fenced(strategy: Strategy): Strategy {
  return {
    ...strategy,
    apply: (change, tools) => {
      const { balances } = tools;
      let token = 0;
      const fencedBalances = Object.create(balances, {
        read: {
          value: async (balance: string) => {
            token = (await TOKENS[strategy.name]?.(tools, change.request)) ?? 0;
            await balances.registerToken(change, { token, holder: change.request });
            return balances.read(balance);
          },
        },
        write: {
          value: (_change: unknown, was: number, after: number) =>
            balances.writeRegistered(change, { token, holder: change.request }, was, after),
        },
      }) as Tools['balances'];
      return strategy.apply(change, { ...tools, balances: fencedBalances });
    },
  };
}

/** A stands still at its write until its session or lease has ended, and B has bought. */
async function overtaken(strategy: Strategy) {
  const schedule = await Schedule.begin(world, strategy, { stock: 2 });
  const { A, B } = schedule;
  await A.runUntil(before('UPDATE balance SET amount'));
  A.pause();
  expect(await schedule.lapse()).toBe(true);
  await B.finish();
  await A.resume();
  await A.finish();
  const { verdict } = await schedule.end();
  return { a: A.outcome, b: B.outcome, kinds: verdict.violations.map(({ kind }) => kind) };
}

test.each(['zookeeper', 'etcd'])('%s: unfenced, the stale write is lost in the newer one', async (name) => {
  const { a, b, kinds } = await overtaken(findStrategy(name));
  expect([a, b]).toEqual(['APPLIED', 'APPLIED']);
  expect(kinds).toEqual(expect.arrayContaining(['lost-update', 'overlap']));
});

test.each(['zookeeper', 'etcd'])(
  '%s: with its number as the fence the same schedule refuses the stale write',
  async (name) => {
    const { a, b, kinds } = await overtaken(fenced(findStrategy(name)));
    expect([a, b]).toEqual(['LOCK.FENCED', 'APPLIED']);
    expect(kinds).not.toContain('lost-update');
    expect(kinds).not.toContain('oversold');
  },
);
