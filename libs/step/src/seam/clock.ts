import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { AutoResetEvent } from './auto-reset-event';
import { dropped } from './dropped';
import { step } from './step';

/** A timer that can be stopped; stopping twice is harmless. */
export interface Ticker {
  stop(): void;
}

/**
 * Placeholder for the schedule's time in the arguments of a Redis command. It is replaced when the command is issued, not
 * when it is created, because a server reads its clock when it executes the command.
 */
export const SCHEDULE_TIME = '@schedule-time';

/** The strategies' source of time; a schedule can replace it. All times are in milliseconds. */
export interface Clock {
  /** Monotonic time: only differences are meaningful. */
  now(): number;
  /** The time argument of a Lua script: -1 makes the script read its own server's clock; or `SCHEDULE_TIME`. */
  serverTime(): number | typeof SCHEDULE_TIME;
  /** Resolves after `ms`. `why` is the verb of the step: simulated business work, or waiting for the lock `key`. */
  sleep(ms: number, why: 'WORK' | 'WAIT', key?: string): Promise<void>;
  /** Waits for the lock `key`: resolves when `event` is set, at the latest after `ms`. */
  waitFor(event: AutoResetEvent, ms: number, key: string): Promise<void>;
  /**
   * Waits for the lock `key`: until `happens` resolves, or for `ms`. `signal` is aborted when the wait has ended, so that
   * `happens` can stop.
   */
  until(happens: (signal: AbortSignal) => Promise<void>, ms: number, key: string): Promise<void>;
  /** Calls `tick` every `ms` until stopped. Calls never overlap; a tick that throws counts as missed. */
  every(ms: number, tick: () => Promise<void>): Ticker;
  /** Calls `run` once, `ms` from now, unless stopped; with `ms` ≤ 0 it is called before this method returns. */
  after(ms: number, run: () => void): Ticker;
}

/** The real clock. Its tickers are `unref`ed, so that a renewal timer never keeps a process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),

  serverTime: () => -1,

  sleep: (ms, why, key) =>
    step(
      () => ({
        kind: 'timer',
        verb: why,
        text: `${why} ${Math.round(ms)} ms`,
        ...(key !== undefined && { key }),
      }),
      async () => {
        await delay(ms, undefined, { ref: true });
        await turn(); // after a pause of the process, other overdue timers run first: the lease deadline must
      },
    ),

  waitFor: (event, ms, key) =>
    step(
      () => ({
        kind: 'timer',
        verb: 'WAIT',
        text: `WAIT for the release of ${key}`,
        key,
        until: { event, ms },
      }),
      () => event.wait(ms),
    ),

  until: (happens, ms, key) =>
    step(
      () => ({ kind: 'timer', verb: 'WAIT', text: 'WAIT', key }),
      async () => {
        const ended = new AbortController();
        const timer = setTimeout(() => {
          ended.abort();
        }, ms);
        try {
          await happens(ended.signal);
        } finally {
          clearTimeout(timer);
          ended.abort();
        }
      },
    ),

  every(ms, tick) {
    let running = false;
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      void tick()
        .catch(dropped('a periodic task'))
        .finally(() => (running = false));
    }, ms).unref();
    return {
      stop: () => {
        clearInterval(timer);
      },
    };
  },

  after(ms, run) {
    // a timer of 0 ms runs after a reply that has already arrived: a check in between would miss the expiry
    if (ms <= 0) {
      run();
      return { stop: () => undefined };
    }
    const timer = setTimeout(run, ms).unref();
    return {
      stop: () => {
        clearTimeout(timer);
      },
    };
  },
};
