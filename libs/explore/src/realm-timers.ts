import * as timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';

type Handle = object;
type Callback = (...args: unknown[]) => void;
type Start = (callback: Callback, ms?: number, ...args: unknown[]) => Handle;
type WaitArguments = Parameters<typeof timersPromises.setTimeout<unknown>>;
type Clear = (handle?: Handle) => void;

const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate };

/**
 * Timers that the code of a process has set by itself, past the clock that it is given. They run in real time; the
 * explorer only has to know whether one of them may still move the process.
 */
export class RealmTimers {
  static readonly NAMES = Object.keys(real) as (keyof typeof real)[];

  readonly globals: Readonly<Record<keyof typeof real, unknown>>;
  private readonly running = new Set<Handle>();

  constructor() {
    const once =
      (start: Start): Start =>
      (callback, ...rest) => {
        const handle = start(
          (...args) => {
            this.running.delete(handle);
            callback(...args);
          },
          ...rest,
        );
        this.running.add(handle);
        return handle;
      };
    const clear =
      (stop: Clear): Clear =>
      (handle) => {
        if (handle !== undefined) this.running.delete(handle);
        stop(handle);
      };
    const setImmediateOnce = (callback: Callback, ...args: unknown[]): Handle =>
      once((run) => real.setImmediate(run, ...args))(callback);
    this.globals = {
      setTimeout: Object.assign(once(real.setTimeout), {
        [promisify.custom]: (...args: WaitArguments) => this.promises.setTimeout(...args),
      }),
      setInterval: (callback: Callback, ms?: number, ...args: unknown[]) => {
        const handle = real.setInterval(callback, ms, ...args);
        this.running.add(handle);
        return handle;
      },
      setImmediate: Object.assign(setImmediateOnce, {
        [promisify.custom]: (value?: unknown) => this.promises.setImmediate(value),
      }),
      clearTimeout: clear(real.clearTimeout as Clear),
      clearInterval: clear(real.clearInterval as Clear),
      clearImmediate: clear(real.clearImmediate as Clear),
    };
  }

  /** One of them may still call the code of the process. */
  get areRunning(): boolean {
    return this.running.size > 0;
  }

  /** In the order of `NAMES`. */
  get values(): readonly unknown[] {
    return RealmTimers.NAMES.map((name) => this.globals[name]);
  }

  /** `node:timers`. */
  get module(): object {
    return { ...this.globals, promises: this.promises };
  }

  /** `node:timers/promises`. Its `setInterval` and `scheduler` are counted as running from the first call on. */
  get promises() {
    const counted =
      <Args extends unknown[]>(wait: (...args: Args) => Promise<unknown>) =>
      async (...args: Args): Promise<unknown> => {
        const handle = {};
        this.running.add(handle);
        try {
          return await wait(...args);
        } finally {
          this.running.delete(handle);
        }
      };
    return {
      setTimeout: counted((...args: WaitArguments) => timersPromises.setTimeout(...args)),
      setImmediate: counted((value?: unknown) => timersPromises.setImmediate(value)),
      setInterval: (...args: Parameters<typeof timersPromises.setInterval>) => {
        this.running.add({});
        return timersPromises.setInterval(...args);
      },
      scheduler: {
        wait: counted(timersPromises.scheduler.wait.bind(timersPromises.scheduler)),
        yield: counted(timersPromises.scheduler.yield.bind(timersPromises.scheduler)),
      },
    };
  }
}
