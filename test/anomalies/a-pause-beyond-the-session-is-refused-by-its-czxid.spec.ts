/**
 * Scenario: the holder is paused before its write until its ZooKeeper session or etcd lease ends; another buyer
 * takes the lock and buys; the holder resumes and writes a stale value.
 *
 * Why it breaks: the server has removed the lock, but it cannot stop a statement of the former holder.
 *
 * Fix: a fencing token. The server already assigns one that only grows (czxid, revision); the row stores the
 * highest token and refuses a lower one.
 */
import { Schedule, before, type World } from '#lab/explore';
import { findStrategy, type Strategy, type Tools } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** The number that the server assigned to the node or key of the holder: a fencing token. */
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

/** The same lock with fencing: registers the token at the row before the read, and the write requires it. */
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
            await balances.registerToken(change, { token, owner: change.request });
            return balances.read(balance);
          },
        },
        write: {
          value: (_change: unknown, was: number, after: number) =>
            balances.writeRegistered(change, { token, owner: change.request }, was, after),
        },
      }) as Tools['balances'];
      return strategy.apply(change, { ...tools, balances: fencedBalances });
    },
  };
}

/** Pauses A before its write until its session or lease has ended; B buys in the meantime; A resumes. */
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

test.each(['zookeeper', 'etcd'])(
  '%s: without fencing the stale write overwrites the newer one',
  async (name) => {
    const { a, b, kinds } = await overtaken(findStrategy(name));
    expect([a, b]).toEqual(['APPLIED', 'APPLIED']);
    expect(kinds).toEqual(expect.arrayContaining(['lost-update', 'overlap']));
  },
);

test.each(['zookeeper', 'etcd'])(
  '%s: with that number as fencing token the row refuses the stale write in the same schedule',
  async (name) => {
    const { a, b, kinds } = await overtaken(fenced(findStrategy(name)));
    expect([a, b]).toEqual(['LOCK.FENCED', 'APPLIED']);
    expect(kinds).not.toContain('lost-update');
    expect(kinds).not.toContain('oversold');
  },
);
