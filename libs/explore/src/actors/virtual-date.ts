import { AsyncLocalStorage } from 'node:async_hooks';

/** Date of virtual time zero; arbitrary. */
const EPOCH = Date.UTC(2025, 0, 1);

const clocks = new AsyncLocalStorage<{ readonly now: number }>();
let installed = false;

/**
 * Makes `Date.now()` return virtual time inside `body`, because libraries read it instead of the strategy's clock:
 * redlock computes its validity with it. Only the explorer uses this; replicas have real time.
 */
export function withVirtualDate<T>(clock: { readonly now: number }, body: () => T): T {
  install();
  return clocks.run(clock, body);
}

/**
 * Runs a call of a server's client in real time. The client also sets its own timers in there: with virtual time, the idle
 * timer of a gRPC channel computes a negative idle time and fires every millisecond.
 */
export const withRealDate = <T>(body: () => T): T => clocks.exit(body);

function install(): void {
  if (installed) return;
  installed = true;
  // eslint-disable-next-line no-restricted-properties -- the only place that gives a library virtual time
  const real = Date.now;
  // eslint-disable-next-line no-restricted-properties -- as above
  Date.now = () => {
    const clock = clocks.getStore();
    return clock === undefined ? real() : EPOCH + clock.now;
  };
}

// eslint-disable-next-line no-restricted-properties -- virtual inside a schedule
const now = (): number => Date.now();

/**
 * `Date` of the code in a realm: without arguments it is the virtual time of a schedule. It is not installed globally, because
 * clients of servers and jest read the real one.
 */
export const RealmDate: DateConstructor = new Proxy(Date, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(
      target,
      args.length === 0 ? [now()] : args,
      newTarget === RealmDate ? target : newTarget,
    ) as Date,
  apply: () => new Date(now()).toString(),
});

/** `performance` of the code in a realm: its `now()` is the virtual time of a schedule. */
export const realmPerformance = new Proxy(performance, {
  get(target, name) {
    if (name === 'now') return millisecondsNow;
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === 'function' ? (value.bind(target) as unknown) : value;
  },
});

const millisecondsNow = (): number => clocks.getStore()?.now ?? performance.now();

const NANOSECONDS_PER_MS = 1_000_000n;
const nanosecondsNow = (): bigint => {
  const clock = clocks.getStore();
  return clock === undefined
    ? process.hrtime.bigint()
    : BigInt(Math.round(clock.now * 1000)) * (NANOSECONDS_PER_MS / 1000n);
};

const NANOSECONDS_PER_SECOND = 1_000_000_000n;

/** `process.hrtime` of the code in a realm. */
export const realmHrtime = Object.assign(
  (since: readonly [number, number] = [0, 0]): [number, number] => {
    const passed = nanosecondsNow() - (BigInt(since[0]) * NANOSECONDS_PER_SECOND + BigInt(since[1]));
    return [Number(passed / NANOSECONDS_PER_SECOND), Number(passed % NANOSECONDS_PER_SECOND)];
  },
  { bigint: nanosecondsNow },
);
