import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { AutoResetEvent } from './auto-reset-event';
import { step } from './step';

/** A timer that can be stopped; stopping twice is harmless. */
export interface Ticker {
  stop(): void;
}

/**
 * Stands for the time of a schedule in the arguments of a Redis command: replaced when the command is issued, not when it
 * is made, because a server reads its clock when it executes the command.
 */
export const SCHEDULE_TIME = '@schedule-time';

/** Where strategies get their time from, so that a schedule can move it. All times are milliseconds. */
export interface Clock {
  /** Monotonic time. Only differences mean anything. */
  now(): number;
  /** What a script receives as the time: -1, it asks its own server; or `SCHEDULE_TIME`. */
  serverTime(): number | typeof SCHEDULE_TIME;
  /** Resolves after `ms`. `why` names the step that others see: the simulated business, or waiting for a lock. */
  sleep(ms: number, why: 'WORK' | 'WAIT', key?: string): Promise<void>;
  /** Resolves when the bell has rung, at the latest after `ms`: waiting for the lock `key`. */
  waitFor(event: AutoResetEvent, ms: number, key: string): Promise<void>;
  /**
   * Waits for the lock `key`: until `happens` resolves, or for `ms`. `happens` is told by `signal` when nobody waits for
   * it any more.
   */
  until(happens: (signal: AbortSignal) => Promise<void>, ms: number, key: string): Promise<void>;
  /** Calls `tick` every `ms`, never two at once, until stopped. A tick that throws is a missed tick. */
  every(ms: number, tick: () => Promise<void>): Ticker;
  /** Calls `run` once, `ms` from now, unless stopped; what is overdue already (`ms` ≤ 0) is called before this returns. */
  after(ms: number, run: () => void): Ticker;
}

/** The real clock. Its tickers are `unref`ed: a renewal timer never keeps a process alive. */
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
        await turn(); // after a pause of the process other timers are overdue, too: the end of a lease is told first
      },
    ),

  waitFor: (event, ms, key) =>
    step(
      () => ({ kind: 'timer', verb: 'WAIT', text: `WAIT for news of ${key}`, key, until: { event, ms } }),
      () => event.heard(ms),
    ),

  until: (happens, ms, key) =>
    step(
      () => ({ kind: 'timer', verb: 'WAIT', text: 'WAIT', key }),
      async () => {
        const over = new AbortController();
        const timer = setTimeout(() => {
          over.abort();
        }, ms);
        try {
          await happens(over.signal);
        } finally {
          clearTimeout(timer);
          over.abort();
        }
      },
    ),

  every(ms, tick) {
    let running = false;
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      void tick()
        .catch(() => undefined)
        .finally(() => (running = false));
    }, ms).unref();
    return {
      stop: () => {
        clearInterval(timer);
      },
    };
  },

  after(ms, run) {
    // a timer of 0 ms runs after a reply that is there already: who asks in between would be told that all is well
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
