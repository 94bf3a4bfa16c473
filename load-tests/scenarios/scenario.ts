import { completePlan, type LoadPlan, type PlanInput } from '../run';

/** A named run whose result is the same every time. */
export interface Scenario {
  readonly name: string;
  /** What the run shows, in a few words. */
  readonly shows: string;
  /** What makes the race certain, where it would otherwise depend on timing. */
  readonly certainBy?: string;
  readonly plan: LoadPlan;
}

export const scenario = (name: string, shows: string, plan: PlanInput, certainBy?: string): Scenario => ({
  name,
  shows,
  plan: completePlan(plan),
  ...(certainBy !== undefined && { certainBy }),
});

/** 50 concurrent buyers want 300 of 100 units. */
export const rush = { stock: 100, requests: 300, connections: 50 };
export const outlives = 'work 300 ms, lease 200 ms';
/** Work that takes longer than the lease. */
export const longWork = {
  stock: 5,
  requests: 20,
  connections: 20,
  options: { workMs: 300, leaseMs: 200, waitMs: 20_000 },
};
/** Only the first buyer, before the load, carries the fault. */
export const first = (header: string): { header: string; on: { kind: 'first' } } => ({
  header,
  on: { kind: 'first' },
});
/** A load of ten connections; for use with a fault on the first buyer. */
export const afterFault = { stock: 10, requests: 30, connections: 10 };
export const alone = 'the first buyer is alone: it gets the lock and is killed while it holds it';
export const untilSale = 'the process is paused until another sale is committed';
export const untilTaken = 'the process is paused until another holder has the key';
/** For a first buyer that is paused at its write until another buyer has sold. */
export const paused = { ...afterFault, options: { leaseMs: 500, workMs: 20, waitMs: 20_000 } };
export const workTime = '5 ms of work between reading and writing';
/** Two products that buyers put into their carts in opposite order. */
export const crossedCarts = {
  carts: [
    ['cart-a', 'cart-b'],
    ['cart-b', 'cart-a'],
  ],
};
/** Every order is delayed after its first lock, so that two carts in opposite order certainly hold one lock each. */
export const restOnFirstLock = (ms: number): { header: string; on: { kind: 'every'; n: number } } => ({
  header: `after(SET)=delay(${ms})`,
  on: { kind: 'every', n: 1 },
});
