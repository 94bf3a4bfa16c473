import { AsyncLocalStorage } from 'node:async_hooks';

/** Date of virtual time zero; arbitrary. */
const EPOCH = Date.UTC(2025, 0, 1);

/** The clock of a schedule, as code reads it. */
export interface ReadableClock {
  /** Milliseconds of virtual time. */
  readonly now: number;
  /** Code reads it: that of a realm, or any code by the global `Date`, also a client's. */
  noteRead(by: 'realm' | 'any'): void;
}

const clocks = new AsyncLocalStorage<ReadableClock>();
let installed = false;

/**
 * Makes `Date.now()` return virtual time inside `body`, because libraries read it instead of the strategy's clock:
 * redlock computes its validity with it. Only the explorer uses this; replicas have real time.
 */
export function withVirtualDate<T>(clock: ReadableClock, body: () => T): T {
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
    clock?.noteRead('any');
    return clock === undefined ? real() : EPOCH + clock.now;
  };
}

/** The clock of the schedule, which code of a realm reads. */
function readByRealm(): ReadableClock | undefined {
  const clock = clocks.getStore();
  clock?.noteRead('realm');
  return clock;
}

const now = (): number => {
  readByRealm();
  // eslint-disable-next-line no-restricted-properties -- virtual inside a schedule
  return Date.now();
};

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
  get: (target, name): unknown => (name === 'now' ? now : Reflect.get(target, name)),
});

/** `performance` of the code in a realm: its `now()` is the virtual time of a schedule. */
export const realmPerformance = new Proxy(performance, {
  get(target, name) {
    if (name === 'now') return millisecondsNow;
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === 'function' ? (value.bind(target) as unknown) : value;
  },
});

const millisecondsNow = (): number => readByRealm()?.now ?? performance.now();

const NANOSECONDS_PER_MS = 1_000_000n;
const nanosecondsNow = (): bigint => {
  const clock = readByRealm();
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
