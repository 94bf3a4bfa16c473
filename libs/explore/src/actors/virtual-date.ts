import { AsyncLocalStorage } from 'node:async_hooks';

/** Virtual time zero, as a date: any that is not now. */
const EPOCH = Date.UTC(2025, 0, 1);

const clocks = new AsyncLocalStorage<{ readonly now: number }>();
let installed = false;

/**
 * Libraries that a strategy uses read `Date.now()`, not our clock: redlock counts its validity with it. Inside `body` it
 * answers in the schedule's time. The explorer alone does this; replicas and everybody outside a schedule have real time.
 */
export function withVirtualDate<T>(clock: { readonly now: number }, body: () => T): T {
  install();
  return clocks.run(clock, body);
}

function install(): void {
  if (installed) return;
  installed = true;
  // eslint-disable-next-line no-restricted-properties -- the one place that puts a schedule's time under a library
  const real = Date.now;
  // eslint-disable-next-line no-restricted-properties -- as above
  Date.now = () => {
    const clock = clocks.getStore();
    return clock === undefined ? real() : EPOCH + clock.now;
  };
}
