import { AsyncLocalStorage } from 'node:async_hooks';

/** The call that the running code belongs to. */
interface CallSite {
  readonly stacks: readonly string[];
  /** The running code is a function that the caller has passed, and not the called method itself. */
  readonly isCallback: boolean;
}

const callSites = new AsyncLocalStorage<CallSite>();

/** Enough for the frames of a database client between the seam and a strategy. */
const STACK_FRAMES = 60;

/**
 * The call stack of the running code. Inside a method of `withCallSites` it is that of the call: a caller that has returned
 * the promise without `await` is not on the stack of the later statements of the method. In a callback of such a method, that
 * of the call follows.
 */
export function callStacks(): readonly string[] {
  const site = callSites.getStore();
  if (site?.isCallback === false) return site.stacks;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return [stack, ...(site?.stacks ?? [])];
}

/** The same object; during a call of its methods, or of those of its parts, `callStacks` are those of the call. */
export function withCallSites<T extends object>(tools: T): T {
  return new Proxy(tools, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? atCallSite(value.bind(target) as Method) : tracked(value);
    },
  });
}

type Method = (...args: unknown[]) => unknown;

const atCallSite =
  (method: Method): Method =>
  (...args) => {
    const stacks = callStacks();
    const passed = args.map((arg) => (typeof arg === 'function' ? asCallback(arg as Method, stacks) : arg));
    return tracked(callSites.run({ stacks, isCallback: false }, () => method(...passed)));
  };

/** A function that a method calls with further tools, for example a transaction. */
const asCallback =
  (callback: Method, stacks: readonly string[]): Method =>
  (...tools) =>
    callSites.run({ stacks, isCallback: true }, () => callback(...tools.map(tracked)));

const tracked = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !(value instanceof Promise) ? withCallSites(value) : value;
