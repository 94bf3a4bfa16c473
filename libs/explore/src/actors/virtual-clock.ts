import { SCHEDULE_TIME, step, type Clock, type Ticker } from '#lab/step';

/** A timer of an actor, in virtual time. */
export interface Timer {
  readonly id: number;
  readonly actor: string;
  due: number;
  /** Absent: it fires once. */
  readonly period?: number;
  /** Recomputes `due` when the timer may have become due earlier. `hurry`: no look is left out any more. */
  readonly dueNow?: (how?: { readonly hurry: boolean }) => number;
  /** It ends a wait in a server: no timer of the actor's code. */
  readonly endsWait?: true;
  readonly run: () => Promise<void> | void;
  running: boolean;
}

/**
 * Virtual time of a schedule: constant between steps, advanced only by the schedule. All times are milliseconds since
 * the start of the schedule.
 */
export class VirtualClock {
  private time = 0;
  private timers: Timer[] = [];
  private ids = 0;

  get now(): number {
    return this.time;
  }

  get hasTimers(): boolean {
    return this.timers.length > 0;
  }

  /** A timer is set that an actor's code has set, for example to renew its lock. */
  get hasTimersOfCode(): boolean {
    return this.timers.some(({ endsWait }) => endsWait !== true);
  }

  /** The timers that are set, in the order in which they are due. */
  get timersInOrder(): readonly Pick<Timer, 'actor' | 'due' | 'period' | 'running'>[] {
    return this.inOrder().map(({ actor, due, period, running }) => ({
      actor,
      due,
      running,
      ...(period !== undefined && { period }),
    }));
  }

  /** Advances the time; never moves it back. */
  moveTo(time: number): void {
    this.time = Math.max(this.time, time);
  }

  /** The next due timer of the actors accepted by `running`. */
  next(running: (actor: string) => boolean): Timer | undefined {
    return this.inOrder().find((timer) => !timer.running && running(timer.actor));
  }

  /** Marks a timer as fired. A periodic timer is due again after the current time, at a multiple of its period. */
  fired(timer: Timer): void {
    if (timer.period === undefined) this.stop(timer);
    else while (timer.due <= this.time) timer.due += timer.period;
  }

  /** Removes the timers of a dead actor. */
  removeTimersOf(actor: string): void {
    this.timers = this.timers.filter((timer) => timer.actor !== actor);
  }

  /** The clock of an actor's strategy. */
  for(actor: string): Clock {
    return {
      now: () => this.time,
      serverTime: () => SCHEDULE_TIME,
      sleep: (ms, why, key) =>
        step(
          () => ({
            kind: 'timer',
            verb: why,
            text: why === 'WORK' ? `WORK ${ms} ms` : 'WAIT',
            ...(key !== undefined && { key }),
          }),
          () => Promise.resolve(),
        ),
      waitFor: (event, ms, key) =>
        step(
          () => ({ kind: 'timer', verb: 'WAIT', text: 'WAIT for news', key, until: { event, ms } }),
          () => Promise.resolve(),
        ),
      until: (_happens, _ms, key) =>
        step(
          () => ({ kind: 'timer', verb: 'WAIT', text: 'WAIT', key }),
          () => Promise.resolve(),
        ),
      every: (ms, tick) => this.set({ actor, due: this.time + ms, period: ms, run: tick }),
      // overdue: time advanced while the step was held before it was sent. A grant runs from when the server receives
      // the request, so the timer fires when time advances next, not immediately
      after: (ms, run) => this.set({ actor, due: this.time + ms, run }),
    };
  }

  /** Fires once, when `due` says so. */
  once(actor: string, due: NonNullable<Timer['dueNow']>, run: () => Promise<void> | void): Ticker {
    return this.set({ actor, due: due(), dueNow: due, run });
  }

  /** Ends a wait of the actor in a server after `ms`. */
  endWait(actor: string, ms: number, run: () => void): Ticker {
    return this.set({ actor, due: this.time + ms, endsWait: true, run });
  }

  private inOrder(): Timer[] {
    for (const timer of this.timers) if (timer.dueNow !== undefined) timer.due = timer.dueNow();
    return this.timers.toSorted((a, b) => a.due - b.due || a.id - b.id);
  }

  private set(wanted: Omit<Timer, 'id' | 'running'>): Ticker {
    const timer: Timer = { ...wanted, id: ++this.ids, running: false };
    this.timers.push(timer);
    return {
      stop: () => {
        this.stop(timer);
      },
    };
  }

  private stop(timer: Timer): void {
    this.timers = this.timers.filter((other) => other !== timer);
  }
}
