import { SCHEDULE_TIME, step, type Clock, type Ticker } from '#lab/step';

/** A timer that an actor has set, in virtual time. */
export interface Timer {
  readonly id: number;
  readonly actor: string;
  due: number;
  /** Absent: it fires once. */
  readonly period?: number;
  readonly run: () => Promise<void> | void;
  running: boolean;
}

/**
 * Time as a schedule sees it: it stands still between steps and moves only when the schedule says so. All times are
 * milliseconds from the schedule's beginning.
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

  /** Never backwards. */
  moveTo(time: number): void {
    this.time = Math.max(this.time, time);
  }

  /** The timer that is due first, among those of the actors in `running`. */
  next(running: (actor: string) => boolean): Timer | undefined {
    return this.timers
      .filter((timer) => !timer.running && running(timer.actor))
      .sort((a, b) => a.due - b.due || a.id - b.id)[0];
  }

  /** Marks a timer as fired: one that repeats is due again a period after the time that it was due, or after now. */
  fired(timer: Timer): void {
    if (timer.period === undefined) this.stop(timer);
    else while (timer.due <= this.time) timer.due += timer.period;
  }

  /** Forgets the timers of an actor that is no more. */
  forget(actor: string): void {
    this.timers = this.timers.filter((timer) => timer.actor !== actor);
  }

  /** The clock that an actor's strategy is given. */
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
      // overdue: a step was held before it left, and time moved meanwhile. That was no time of the actor's: what its
      // request is granted runs from when the server gets it, so it is called when time moves next, and not at once
      after: (ms, run) => this.set({ actor, due: this.time + ms, run }),
    };
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
