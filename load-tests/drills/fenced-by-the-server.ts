import type { Fence } from '#lab/balance';
import { lockKey, type Strategy, type Tools } from '#lab/strategy';

type FenceOf = (tools: Tools, balance: string, request: string) => Promise<Fence | undefined>;

/** By strategy: the number that the server assigned to a request's node or key, and its name. The numbers never decrease. */
const FENCES: Readonly<Record<string, FenceOf>> = {
  zookeeper: async ({ servers }, balance, request) => {
    const { session } = servers.zookeeper;
    const folder = `/${lockKey(balance, 'zookeeper')}`;
    const names = await session.children(folder);
    for (const name of names) {
      const node = await session.get(`${folder}/${name}`);
      if (node?.content === request) return { token: node.czxid, owner: name };
    }
    return undefined;
  },
  etcd: async ({ servers }, balance, request) => {
    const folder = `${lockKey(balance, 'etcd')}/`;
    const found = (await servers.etcd.list(folder)).find(({ value }) => value === request);
    return found && { token: found.revision, owner: found.key.slice(folder.length) };
  },
};

/**
 * The lock of `zookeeper` or `etcd` with the fence that these strategies lack: the server's number (czxid, revision) is
 * registered in the row before the read, and checked by the write.
 */
export function fencedByTheServer(strategy: Strategy): Strategy {
  const fenceOf = FENCES[strategy.name];
  if (fenceOf === undefined)
    throw new Error(`There is no server-side fence for the strategy ${strategy.name}: use zookeeper or etcd`);
  return {
    ...strategy,
    apply: (change, tools) => {
      const { balances } = tools;
      let fence: Fence = { token: 0, owner: '' };
      const fenced = Object.create(balances, {
        read: {
          value: async (balance: string) => {
            fence = (await fenceOf(tools, balance, change.request)) ?? fence;
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
