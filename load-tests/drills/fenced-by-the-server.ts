import { lockKey, type Strategy, type Tools } from '#lab/strategy';

type Fence = (tools: Tools, balance: string, request: string) => Promise<number | undefined>;

/** By strategy: the number that the server gave to the node or key of a request. It never gives a smaller one. */
const FENCES: Readonly<Record<string, Fence>> = {
  zookeeper: async ({ servers }, balance, request) => {
    const { session } = servers.zookeeper;
    const folder = `/${lockKey(balance, 'zookeeper')}`;
    const names = await session.children(folder);
    const nodes = await Promise.all(names.map((name) => session.get(`${folder}/${name}`)));
    return nodes.find((node) => node?.content === request)?.czxid;
  },
  etcd: async ({ servers }, balance, request) =>
    (await servers.etcd.list(`${lockKey(balance, 'etcd')}/`)).find(({ value }) => value === request)
      ?.revision,
};

/**
 * The same lock as `zookeeper` or `etcd`, and what their catalogue entry says is missing: the row is shown the server's
 * number (czxid, revision) before the read, and asked for it by the write.
 */
export function fencedByTheServer(strategy: Strategy): Strategy {
  const fenceOf = FENCES[strategy.name];
  if (fenceOf === undefined) throw new Error(`no server gives ${strategy.name} a number`);
  return {
    ...strategy,
    apply: (change, tools) => {
      const { balances } = tools;
      let fence = 0;
      const fenced = Object.create(balances, {
        read: {
          value: async (balance: string) => {
            fence = (await fenceOf(tools, balance, change.request)) ?? 0;
            await balances.registerToken(change, fence);
            return balances.read(balance);
          },
        },
        write: {
          value: (_change: unknown, before: number, after: number) =>
            balances.writeRegistered(change, fence, before, after),
        },
      }) as Tools['balances'];
      return strategy.apply(change, { ...tools, balances: fenced });
    },
  };
}
