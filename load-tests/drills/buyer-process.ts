import { Balances, type Change } from '#lab/balance';
import { loadStrategy, Realm } from '#lab/explore';
import { SqlLocks } from '#lab/locks';
import {
  codeOf,
  LockFolder,
  messageOf,
  monotonic,
  observe,
  Servers,
  SteppedDataSource,
  systemClock,
} from '#lab/step';
import { DEFAULT_OPTIONS, findStrategy, loadScripts, type Tools } from '#lab/strategy';
import { toCluster, toServer } from './connect';
import { fencedByTheServer } from './fenced-by-the-server';
import { BuyerGate } from './buyer-gate';
import type { FromBuyer, Purchase, BuyerConfig, ToBuyer } from './messages';

const send = (message: FromBuyer): void => void process.send?.(message);
const fail = (error: unknown): void => {
  const text = messageOf(error);
  send({ type: 'end', at: monotonic(), code: codeOf(error), text });
};
const gate = new BuyerGate(send);
/** Loads each strategy file once, like a module of this process. */
const realm = new Realm(process.pid);
let buy: (() => Promise<void>) | undefined;
let prepare: ((purchase: Purchase) => void) | undefined;

/** Connects to all servers. Afterwards the buyer buys once for each prepared purchase. */
async function connect(config: BuyerConfig): Promise<void> {
  const { name, mysql, database } = config;
  const redis = await (typeof config.redis === 'string'
    ? toServer(config.redis, name)
    : toCluster(config.redis, name));
  const servers = new Servers(
    config.servers,
    name,
    config.sessionMs === undefined ? {} : { sessionMs: config.sessionMs },
  );
  await servers.connect(loadScripts);
  // again, and awaited: otherwise a buyer's first command could fail with NOSCRIPT
  await Promise.allSettled(servers.redises.map(loadScripts));
  const dataSource = await new SteppedDataSource({ url: mysql, database, poolSize: 4 }).initialize();
  const connected = {
    balances: new Balances(dataSource),
    sqlLocks: new SqlLocks(dataSource),
    ...redis,
    servers,
    folder: new LockFolder(config.lockDir),
    clock: systemClock,
    warn: (text: string) => {
      send({ type: 'warned', at: monotonic(), text });
    },
  };
  prepare = (purchase) => {
    const { strategy: strategyName, module } = purchase;
    const found =
      module === undefined ? findStrategy(strategyName) : loadStrategy(module, strategyName, realm);
    const strategy = config.fenced === true ? fencedByTheServer(found) : found;
    const options = { ...DEFAULT_OPTIONS, ...purchase.options };
    const tools: Tools = {
      ...connected,
      options,
      work: () => (options.workMs > 0 ? systemClock.sleep(options.workMs, 'WORK') : Promise.resolve()),
    };
    const change: Change = {
      balance: config.balance,
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
        send({ type: 'end', at: monotonic(), code: 'APPLIED', text: `sold one: ${before} → ${after}` });
      } catch (error) {
        fail(error);
      }
    };
    send({ type: 'connected' });
  };
  prepare(config);
}

process.on('message', (message: ToBuyer) => {
  if (message.type === 'start') {
    connect(message.config).catch(fail);
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
