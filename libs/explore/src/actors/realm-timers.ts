import * as timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import { VirtualTimer, type VirtualTimers } from './virtual-timers';

type Handle = NodeJS.Timeout | NodeJS.Immediate | VirtualTimer;
type Callback = (...args: unknown[]) => void;
type Clear = (handle?: Handle) => void;

const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate };

/**
 * Timers that strategy code sets directly instead of using its clock. They run in real time, or in that of the schedule
 * (`virtual`). The explorer needs to know whether one is pending, and stops all of them when the process ends.
 */
export class RealmTimers {
  static readonly NAMES = Object.keys(real) as (keyof typeof real)[];

  /** Set for code that is not ours, before it runs: its timers are timers of the schedule. */
  virtual: VirtualTimers | undefined;
  readonly globals: Readonly<Record<keyof typeof real, unknown>>;
  private readonly running = new Set<Handle>();
  /** Rejects pending promises of `node:timers/promises` when the process ends. */
  private readonly end = new AbortController();
  private waits = 0;
  private stopped = false;

  constructor() {
    const clear: Clear = (handle) => {
      if (handle instanceof VirtualTimer) {
        handle.clear();
        return;
      }
      if (handle !== undefined) this.running.delete(handle);
      real.clearTimeout(handle as NodeJS.Timeout);
      real.clearImmediate(handle as NodeJS.Immediate);
    };
    this.globals = {
      setTimeout: Object.assign(
        (callback: Callback, ms?: number, ...args: unknown[]) =>
          this.virtual?.set(
            () => {
              callback(...args);
            },
            ms,
            { isPeriodic: false },
          ) ?? this.once((run) => real.setTimeout(run, ms), callback, args),
        { [promisify.custom]: (ms?: number, value?: unknown) => this.promises.setTimeout(ms, value) },
      ),
      setImmediate: Object.assign(
        (callback: Callback, ...args: unknown[]) =>
          this.once((run) => real.setImmediate(run), callback, args),
        { [promisify.custom]: (value?: unknown) => this.promises.setImmediate(value) },
      ),
      setInterval: (callback: Callback, ms?: number, ...args: unknown[]) =>
        this.virtual?.set(
          () => {
            callback(...args);
          },
          ms,
          { isPeriodic: true },
        ) ?? this.add(real.setInterval(callback, ms, ...args)),
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    };
  }

  /** A timer is pending. */
  get areRunning(): boolean {
    return this.running.size > 0 || this.waits > 0;
  }

  /** The global `AbortSignal`, whose `timeout` is a timer of this realm. */
  readonly abortSignal = new Proxy(AbortSignal, {
    get: (target, name) =>
      name === 'timeout'
        ? (ms: number) => this.abortAfter(ms)
        : (Reflect.get(target, name, target) as unknown),
  });

  /** `node:timers`. */
  get module(): object {
    return { ...this.globals, promises: this.promises };
  }

  /** `node:timers/promises`. */
  get promises() {
    const { signal } = this.end;
    const scheduler = {
      wait: (ms: number) =>
        this.delay(ms, undefined) ?? this.count(timersPromises.setTimeout(ms, undefined, { signal })),
      yield: () => this.count(timersPromises.setImmediate(undefined, { signal })),
    };
    return {
      setTimeout: (ms?: number, value?: unknown, options?: { readonly signal?: AbortSignal }) =>
        this.delay(ms, value, options) ??
        this.count(timersPromises.setTimeout(ms, value, { signal: either(signal, options) })),
      setImmediate: (value?: unknown, options?: { readonly signal?: AbortSignal }) =>
        this.count(timersPromises.setImmediate(value, { signal: either(signal, options) })),
      setInterval: (ms?: number, value?: unknown, options?: { readonly signal?: AbortSignal }) => {
        if (this.virtual !== undefined) return this.ticks(ms, value, options);
        this.waits++; // never decremented: the loop may request the next tick at any time
        return timersPromises.setInterval(ms, value, { signal: either(signal, options) });
      },
      scheduler,
    };
  }

  /** The process ends: cancels all timers, and any that its code sets later. */
  stop(): void {
    this.stopped = true;
    if (this.waits > 0) this.end.abort(); // creates an error with a stack trace: too slow for every schedule
    for (const handle of this.running) (this.globals['clearTimeout'] as Clear)(handle);
    this.waits = 0;
  }

  private abortAfter(ms: number): AbortSignal {
    const controller = new AbortController();
    (this.globals.setTimeout as (callback: Callback, ms: number) => unknown)(() => {
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }, ms);
    return controller.signal;
  }

  /** A promise of a virtual timer; undefined: the delay is in real time. */
  private delay(
    ms: number | undefined,
    value: unknown,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<unknown> | undefined {
    const { virtual } = this;
    if (virtual === undefined) return undefined;
    let timer: VirtualTimer | undefined;
    const ended = new Promise((resolve, reject) => {
      const abort = (): void => {
        timer?.clear();
        reject(signal?.reason as Error);
      };
      timer = virtual.set(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve(value);
        },
        ms,
        { isPeriodic: false },
      );
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
    return timer === undefined ? undefined : ended;
  }

  /** As a loop of `setTimeout`: a tick is due `ms` after the loop has asked for it. */
  private async *ticks(...args: Parameters<RealmTimers['promises']['setTimeout']>): AsyncGenerator {
    for (;;) yield await this.promises.setTimeout(...args);
  }

  private once(start: (run: () => void) => Handle, callback: Callback, args: unknown[]): Handle {
    const handle = start(() => {
      this.running.delete(handle);
      callback(...args);
    });
    return this.add(handle);
  }

  private add<T extends Handle>(handle: T): T {
    this.running.add(handle);
    if (this.stopped) (this.globals['clearTimeout'] as Clear)(handle);
    return handle;
  }

  private async count<T>(wait: Promise<T>): Promise<T> {
    this.waits++;
    if (this.stopped) this.end.abort();
    try {
      return await wait;
    } finally {
      this.waits--;
    }
  }
}

const either = (end: AbortSignal, { signal }: { readonly signal?: AbortSignal } = {}): AbortSignal =>
  signal === undefined ? end : AbortSignal.any([end, signal]);
