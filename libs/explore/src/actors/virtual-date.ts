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
