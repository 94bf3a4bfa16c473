import { completePlan, type LoadPlan, type PlanInput } from '../run';

/** A named run: what it shows, and what makes it come out the same every time. */
export interface Scenario {
  readonly name: string;
  /** What the row shows, a few words. */
  readonly shows: string;
  /** What makes the race certain, where plain load would leave it to luck. */
  readonly certainBy?: string;
  readonly plan: LoadPlan;
}

export const scenario = (name: string, shows: string, plan: PlanInput, certainBy?: string): Scenario => ({
  name,
  shows,
  plan: completePlan(plan),
  ...(certainBy !== undefined && { certainBy }),
});

/** 50 buyers at once want 300 of 100 units. */
export const rush = { stock: 100, requests: 300, connections: 50 };
export const outlives = 'work 300 ms, lease 200 ms';
/** Work that outlives its lease. */
export const longWork = {
  stock: 5,
  requests: 20,
  connections: 20,
  options: { workMs: 300, leaseMs: 200, waitMs: 20_000 },
};
/** The fault hits the first buyer only. */
export const first = (header: string): { header: string; on: { kind: 'first' } } => ({
  header,
  on: { kind: 'first' },
});
/** One buyer is hit by the fault; then ten come. */
export const afterFault = { stock: 10, requests: 30, connections: 10 };
export const alone = 'the first buyer is alone: it gets the lock and dies holding it';
export const untilSale = "the process stands still until somebody else's sale is committed";
/** Paused at its write until somebody else has sold. */
export const paused = { ...afterFault, options: { leaseMs: 500, workMs: 20, waitMs: 20_000 } };
export const workTime = '5 ms of work between reading and writing';
/** Two products, and buyers who put them into their carts in opposite order. */
export const crossedCarts = {
  carts: [
    ['cart-a', 'cart-b'],
    ['cart-b', 'cart-a'],
  ],
};
/** Everybody rests on the first lock that it gets: two carts in opposite order surely hold one each. */
export const restOnFirstLock = (ms: number): { header: string; on: { kind: 'every'; n: number } } => ({
  header: `after(SET)=delay(${ms})`,
  on: { kind: 'every', n: 1 },
});
