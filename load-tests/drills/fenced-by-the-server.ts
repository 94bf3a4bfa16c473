import type { Fence } from '#lab/balance';
import { lockKey, type Strategy, type Tools } from '#lab/strategy';

type FenceOf = (tools: Tools, balance: string, request: string) => Promise<Fence | undefined>;

/** By strategy: the number that the server gave to the node or key of a request, and its name. It never gives a smaller one. */
const FENCES: Readonly<Record<string, FenceOf>> = {
  zookeeper: async ({ servers }, balance, request) => {
    const { session } = servers.zookeeper;
    const folder = `/${lockKey(balance, 'zookeeper')}`;
    const names = await session.children(folder);
    for (const name of names) {
      const node = await session.get(`${folder}/${name}`);
      if (node?.content === request) return { token: node.czxid, holder: name };
    }
    return undefined;
  },
  etcd: async ({ servers }, balance, request) => {
    const folder = `${lockKey(balance, 'etcd')}/`;
    const found = (await servers.etcd.list(folder)).find(({ value }) => value === request);
    return found && { token: found.revision, holder: found.key.slice(folder.length) };
  },
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
      let fence: Fence = { token: 0, holder: '' };
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
