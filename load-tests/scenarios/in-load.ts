import { scenario, type Scenario } from './scenario';

/** The fault of the 40th of 150 orders fires when that order holds the lock; the stock covers all orders. */
const underLoad = { stock: 1000, requests: 150, connections: 10 };
const faultOn40th = (header: string): { header: string; on: { kind: 'nth'; n: number } } => ({
  header,
  on: { kind: 'nth', n: 40 },
});

const holding = 'the fault of the 40th buyer fires while it holds the lock and others wait';
/** The work gives earlier answers of the replica time to arrive: the kill loses no other order. */
const killedAfterWork = `${holding}; it is killed after its work`;
/** The work makes requests overlap; the fault fires between the holder's read and its write. */
const atWork = { leaseMs: 500, workMs: 5, waitMs: 20_000 };

/** The order replica of every 30th order is killed after the stock is taken and before the order is recorded. */
const killedOrders = {
  strategy: 'conditional-update',
  stock: 1000,
  requests: 120,
  connections: 10,
  options: { workMs: 20 },
  fault: { header: 'order:before(INSERT#2)=kill', on: { kind: 'every' as const, n: 30 } },
};
const betweenBoth = 'the order replica is killed between the deduction and the INSERT of the order';

/** Faults under load, each for a strategy that tolerates it and for one that does not. */
export const IN_LOAD: readonly Scenario[] = [
  scenario(
    'orders-killed',
    'order replicas killed before the order is recorded: stock is taken without an order',
    { ...killedOrders, certain: ['orphan'] },
    betweenBoth,
  ),
  scenario(
    'orders-killed-reconciled',
    'order replicas killed before the order is recorded, then reconciled: exact',
    { ...killedOrders, reconcileOrders: true },
    betweenBoth,
  ),
  scenario(
    'setnx-killed-in-load',
    'holder killed under load: stuck forever',
    {
      strategy: 'setnx',
      ...underLoad,
      options: { workMs: 20, waitMs: 1000 },
      fault: faultOn40th('after(WORK)=kill'),
    },
    killedAfterWork,
  ),
  scenario(
    'token-lua-killed-in-load',
    'holder killed under load: others buy after the lease',
    {
      strategy: 'token-lua',
      ...underLoad,
      options: { leaseMs: 1000, workMs: 20, waitMs: 20_000 },
      fault: faultOn40th('after(WORK)=kill'),
    },
    killedAfterWork,
  ),
  scenario(
    'watchdog-paused-in-load',
    'holder paused under load: loses an update',
    { strategy: 'watchdog', ...underLoad, options: atWork, fault: faultOn40th('before(UPDATE)=pause(sale)') },
    `${holding}, and is paused until another sale is committed`,
  ),
  scenario(
    'fenced-paused-in-load',
    'holder paused under load: refused when it resumes',
    { strategy: 'fenced', ...underLoad, options: atWork, fault: faultOn40th('before(UPDATE#2)=pause(sale)') },
    `${holding}, and is paused until another sale is committed`,
  ),
  scenario(
    'watchdog-blocked-in-load',
    'event loop blocked under load, so no renewal runs: loses an update',
    { strategy: 'watchdog', ...underLoad, options: atWork, fault: faultOn40th('before(UPDATE)=block(3000)') },
    `${holding}; its event loop is blocked for 3 s, the lease is 500 ms`,
  ),
  scenario(
    'fenced-blocked-in-load',
    'event loop blocked under load: refused when it resumes',
    { strategy: 'fenced', ...underLoad, options: atWork, fault: faultOn40th('before(UPDATE#2)=block(3000)') },
    `${holding}; its event loop is blocked for 3 s, the lease is 500 ms`,
  ),
  scenario(
    'expiring-slow-in-load',
    'slow holder under load: loses an update',
    { strategy: 'expiring', ...underLoad, options: atWork, fault: faultOn40th('before(UPDATE)=delay(3000)') },
    `${holding}, and takes 3 s longer; the lease is 500 ms`,
  ),
  scenario(
    'watchdog-slow-in-load',
    'slow holder under load: the lease is renewed, exact',
    { strategy: 'watchdog', ...underLoad, options: atWork, fault: faultOn40th('before(UPDATE)=delay(3000)') },
    `${holding}, and takes 3 s longer; the lease is 500 ms`,
  ),
];
