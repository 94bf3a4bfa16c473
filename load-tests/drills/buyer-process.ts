import { Balances, type Change } from '#lab/balance';
import { loadStrategy, Realm } from '#lab/explore';
import { codeOf, LockFolder, monotonic, observe, Servers, SteppedDataSource, systemClock } from '#lab/step';
import { DEFAULT_OPTIONS, findStrategy, loadScripts, type Tools } from '#lab/strategy';
import { toCluster, toServer } from './connect';
import { fencedByTheServer } from './fenced-by-the-server';
import { BuyerGate } from './buyer-gate';
import type { FromBuyer, Purchase, BuyerConfig, ToBuyer } from './messages';

const tell = (message: FromBuyer): void => void process.send?.(message);
const fail = (error: unknown): void => {
  const text = error instanceof Error ? error.message : String(error);
  tell({ type: 'end', at: monotonic(), code: codeOf(error), text });
};
const gate = new BuyerGate(tell);
/** Where files of strategies are loaded: once, as modules of a process are. */
const realm = new Realm(process.pid);
let buy: (() => Promise<void>) | undefined;
let prepare: ((purchase: Purchase) => void) | undefined;

/** Connects to everything; from then on the buyer can buy, once for each purchase that it is prepared for. */
async function sit(seat: BuyerConfig): Promise<void> {
  const { name, mysql, database } = seat;
  const redis = await (typeof seat.redis === 'string'
    ? toServer(seat.redis, name)
    : toCluster(seat.redis, name));
  const servers = new Servers(
    seat.servers,
    name,
    seat.sessionMs === undefined ? {} : { sessionMs: seat.sessionMs },
  );
  await servers.connect(loadScripts);
  // once more, and waited for: a buyer's first command is no NOSCRIPT
  await Promise.allSettled(servers.redises.map(loadScripts));
  const dataSource = await new SteppedDataSource({ url: mysql, database, poolSize: 4 }).initialize();
  const connected = {
    balances: new Balances(dataSource),
    ...redis,
    servers,
    folder: new LockFolder(seat.lockDir),
    clock: systemClock,
    warn: (text: string) => {
      tell({ type: 'warned', at: monotonic(), text });
    },
  };
  prepare = (purchase) => {
    const { strategy: strategyName, module } = purchase;
    const plain =
      module === undefined ? findStrategy(strategyName) : loadStrategy(module, strategyName, realm);
    const strategy = seat.fenced === true ? fencedByTheServer(plain) : plain;
    const options = { ...DEFAULT_OPTIONS, ...purchase.options };
    const tools: Tools = {
      ...connected,
      options,
      work: () => (options.workMs > 0 ? systemClock.sleep(options.workMs, 'WORK') : Promise.resolve()),
    };
    const change: Change = {
      balance: seat.balance,
      delta: -1,
      request: name,
      replica: name,
      strategy: strategyName,
    };
    buy = async () => {
      try {
        const { before, after } = await observe({ actor: name, listener: gate.listener }, () =>
          strategy.apply(change, tools),
        );
        tell({ type: 'end', at: monotonic(), code: 'APPLIED', text: `sold one: ${before} → ${after}` });
      } catch (error) {
        fail(error);
      }
    };
    tell({ type: 'seated' });
  };
  prepare(seat);
}

process.on('message', (message: ToBuyer) => {
  if (message.type === 'sit') {
    sit(message.seat).catch(fail);
    return;
  }
  if (message.type === 'next') {
    prepare?.(message.purchase);
    return;
  }
  gate.go(message.until);
  const begin = buy;
  buy = undefined;
  void begin?.();
});
process.on('disconnect', () => process.exit());
