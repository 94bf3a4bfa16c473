import type { Change } from '#lab/balance';
import { codeOf, messageOf, type Clock } from '#lab/step';
import { cartStrategy, fileOf, type Strategy } from '#lab/strategy';
import { judgeSchedule, writesStock } from '#lab/verdict';
import { ACTOR_NAMES, BALANCE, systemsOf, titleOf, type Setup } from '../world';
import { requestTools } from './request-tools';
import { loadStrategy } from './realm';
import type { Outcome, Requester, SubjectOf } from './subject';

type StrategySetup = Setup & { readonly strategy: Strategy };

/** The subject of most explorations: each actor buys one unit of a balance, or of each balance of its cart, by a strategy. */
export const strategyOnBalance: SubjectOf<StrategySetup> = (setup, world) => {
  const { strategy, stock, options, carts } = setup;
  if (carts?.some((cart) => cart.length > 1) === true) cartStrategy(strategy);
  const systems = systemsOf(strategy);
  const lockStores = world.lockStoresOf(strategy);
  const voters = lockStores.filter(({ component }) => component === 'redlock').length;
  const parts = strategy.parts ?? Math.max(1, voters);
  const wanted = [...new Set(carts?.flat() ?? [BALANCE])].sort();
  const file = fileOf(systems[0] ?? strategy);
  return {
    about: {
      strategy: titleOf(strategy),
      stock,
      leaseMs: options.leaseMs,
      waitMs: options.waitMs,
      ...(parts > 1 && { parts }),
    },
    lockStores,
    keepsOtherKeys: strategy.keys !== undefined,
    // strategies of the catalogue have no state that another request reads between two steps: test/explore/realm.spec.ts
    keepsState: strategy.module !== undefined || strategy.sharesState === true,
    declaresKeys: strategy.module === undefined && options.wait !== 'notify',
    areAlike: (a, b) =>
      strategy.module === undefined &&
      strategy.usesRequestId !== true &&
      a % systems.length === b % systems.length &&
      String(carts?.[a]) === String(carts?.[b]),
    ...(file !== undefined && { file }),
    ...(strategy.setsTimers === true && { isForeign: true as const }),
    ...(systems.some(({ readsClock }) => readsClock === true) && { getsClock: true as const }),
    ...(carts !== undefined && { carts }),
    prepare: () => world.begin(strategy, setup).then(() => undefined),
    load: (realm) => {
      const loaded = systems.map((system) => {
        const own = fileOf(system);
        return own === undefined || realm === undefined ? system : loadStrategy(own, system.name, realm);
      });
      return (requester, clock, warn) => {
        const turn = ACTOR_NAMES.findIndex((actor) => actor === requester.name) % loaded.length;
        return buy(loaded[turn] ?? strategy, requester, setup, clock, warn);
      };
    },
    writes: (text) => writesStock({ text }),
    look: async ({ reset }) => {
      const rows = await (reset ? world.lookAndReset(setup) : world.look());
      return {
        ...rows,
        amounts: Object.fromEntries(wanted.map((balance) => [balance, rows.amounts[balance] ?? 0])),
      };
    },
    judge: judgeSchedule,
  };
};

/** Runs an actor's request: buys one unit, or one of each balance in its cart. Never rejects. */
async function buy(
  strategy: Strategy,
  { name, process, connections, cart }: Requester,
  { options }: Setup,
  clock: Clock,
  warn: (warning: string) => void,
): Promise<Outcome> {
  const change = (balance: string): Change => ({
    balance,
    delta: -1,
    request: name,
    replica: process.name,
    strategy: strategy.name,
  });
  const { balances } = connections;
  const tools = {
    ...requestTools(connections, options, process.local, clock, warn),
    balances: options.isolation === 'read-committed' ? balances.readCommitted() : balances,
    sql: connections.dataSource,
  };
  try {
    const [only = BALANCE, ...others] = cart ?? [];
    if (others.length === 0) {
      const { before, after } = await strategy.apply(change(only), tools);
      return { code: 'APPLIED', text: `sold one: ${before} → ${after}` };
    }
    const sold = await cartStrategy(strategy).applyAll([only, ...others].map(change), tools);
    const sales = sold.map(({ balance, before, after }) => `${balance} ${before} → ${after}`);
    return { code: 'APPLIED', text: `sold one of each: ${sales.join(', ')}` };
  } catch (error) {
    return { code: codeOf(error), text: messageOf(error) };
  }
}
