import { scenario, type Scenario } from './scenario';

/** The 40th of 150 orders meets the fault as soon as it holds the lock; there is enough for everybody. */
const amidst = { stock: 1000, requests: 150, connections: 10 };
const hits = (header: string): { header: string; on: { kind: 'nth'; n: number } } => ({
  header,
  on: { kind: 'nth', n: 40 },
});

const holding = 'the 40th buyer meets the fault when it holds the lock, with others waiting';
/** Its work leaves the answers of those before it the time to arrive: no order is lost with the replica. */
const dies = `${holding}, and dies when its work is done`;
/** Work is what makes the others be there; who holds the lock is hit between reading and writing. */
const atWork = { leaseMs: 500, workMs: 5, waitMs: 20_000 };

/** Every 30th order is left by its replica when the stock is taken and the order is not yet recorded. */
const leavesOrders = {
  strategy: 'conditional-update',
  stock: 1000,
  requests: 120,
  connections: 10,
  options: { workMs: 20 },
  fault: { header: 'order:before(INSERT#2)=kill', on: { kind: 'every' as const, n: 30 } },
};
const betweenBoth = 'the order replica dies between the deduction and the record of the order';

/** Faults in the middle of the load, each for a strategy that bears it and for one that does not. */
export const IN_LOAD: readonly Scenario[] = [
  scenario(
    'orders-killed',
    'order replicas die half-way: stock is gone that nobody has bought',
    { ...leavesOrders, certain: ['orphan'] },
    betweenBoth,
  ),
  scenario(
    'orders-killed-reconciled',
    'order replicas die half-way, then the orders are reconciled: exact',
    { ...leavesOrders, reconcileOrders: true },
    betweenBoth,
  ),
  scenario(
    'setnx-killed-in-load',
    'a holder is killed in the middle of the load: stuck for ever',
    { strategy: 'setnx', ...amidst, options: { workMs: 20, waitMs: 1000 }, fault: hits('after(WORK)=kill') },
    dies,
  ),
  scenario(
    'token-lua-killed-in-load',
    'a holder is killed in the middle of the load: after the lease others buy',
    {
      strategy: 'token-lua',
      ...amidst,
      options: { leaseMs: 1000, workMs: 20, waitMs: 20_000 },
      fault: hits('after(WORK)=kill'),
    },
    dies,
  ),
  scenario(
    'watchdog-paused-in-load',
    'a holder is paused in the middle of the load: loses an update',
    { strategy: 'watchdog', ...amidst, options: atWork, fault: hits('before(UPDATE)=pause(sale)') },
    `${holding}, and stands still until somebody else's sale is committed`,
  ),
  scenario(
    'fenced-paused-in-load',
    'a holder is paused in the middle of the load: refused when it goes on',
    { strategy: 'fenced', ...amidst, options: atWork, fault: hits('before(UPDATE#2)=pause(sale)') },
    `${holding}, and stands still until somebody else's sale is committed`,
  ),
  scenario(
    'watchdog-blocked-in-load',
    'no timer of a blocked process runs, the renewal neither: loses an update',
    { strategy: 'watchdog', ...amidst, options: atWork, fault: hits('before(UPDATE)=block(3000)') },
    `${holding}; its event loop stands still for 3 s, the lease is 500 ms`,
  ),
  scenario(
    'fenced-blocked-in-load',
    'its event loop stands still in the middle of the load: refused when it goes on',
    { strategy: 'fenced', ...amidst, options: atWork, fault: hits('before(UPDATE#2)=block(3000)') },
    `${holding}; its event loop stands still for 3 s, the lease is 500 ms`,
  ),
  scenario(
    'expiring-slow-in-load',
    'one slow holder in the middle of the load: loses an update',
    { strategy: 'expiring', ...amidst, options: atWork, fault: hits('before(UPDATE)=delay(3000)') },
    `${holding}, and needs 3 s more; the lease is 500 ms`,
  ),
  scenario(
    'watchdog-slow-in-load',
    'one slow holder in the middle of the load: the lease is renewed, exact',
    { strategy: 'watchdog', ...amidst, options: atWork, fault: hits('before(UPDATE)=delay(3000)') },
    `${holding}, and needs 3 s more; the lease is 500 ms`,
  ),
];
