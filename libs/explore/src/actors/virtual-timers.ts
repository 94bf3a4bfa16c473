import { currentScope, observe, type Scope, type Ticker } from '#lab/step';
import { AsyncLocalStorage } from 'node:async_hooks';
import { LATE_AFTER_WAITS } from '#lab/verdict';
import type { Timer, VirtualClock } from './virtual-clock';

/** A timer of an actor, as code sees it: with the methods of Node's timers. */
export class VirtualTimer {
  private ticker: Ticker | undefined;

  constructor(
    private readonly start: () => Ticker,
    /** Called when code clears it. */
    private readonly onClear: (timer: VirtualTimer) => void,
  ) {
    this.ticker = start();
  }

  /** Stops it for good, in the code of any actor or of none; stopping twice is harmless. */
  clear(): void {
    this.stop();
    this.onClear(this);
  }

  private stop(): void {
    this.ticker?.stop();
    this.ticker = undefined;
  }

  refresh(): this {
    this.stop();
    this.ticker = this.start();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }
}

/** Longest delay of a polling timer, milliseconds. It is limited because a loop that counts its retries must end. */
const MAX_LATE_MS = 16_000;

/** Virtual milliseconds after which code that never gives up is no longer awaited. */
export const LONGEST_SLEEP_MS = 600_000;

/**
 * After that, the polls of a loop are awaited for so many `waitMs` of its own delays, at most this many polls: a loop that counts its
 * retries has taken long only because polls are skipped, and ends by then.
 */
const WAITS_OF_POLLS = 2;
const MOST_POLLS = 1000;

/** Timers of at most this many milliseconds defer a call to a later turn: they run in real time. */
const PUTS_OFF_MS = 1;

/**
 * `setTimeout` and `setInterval` of the code of one process, in the time of a schedule.
 *
 * A loop that polls a lock every 100 ms would take a hundred steps until a lease of 10 s ends. Its polls are therefore skipped
 * while no lock changes, twice as many each time: they would read the same state. The poll after a change, and the first one
 * after `waitMs`, are made on time. No poll is skipped where a waiter must give up before the lease ends: a loop that counts its
 * retries would take longer than with a real clock.
 */
export class VirtualTimers {
  /** How often a timer of an actor has fired since a lock changed, and the version of the locks then. */
  private readonly inVain = new Map<string, { readonly times: number; readonly version: number }>();
  /** The delays of the timers of each actor that have fired after `LONGEST_SLEEP_MS`, milliseconds. */
  private readonly lateMs = new Map<string, number>();
  /** The timers of each actor that may still fire once. */
  private readonly pending = new Map<string, Set<VirtualTimer>>();

  constructor(
    private readonly clock: VirtualClock,
    private readonly options: { readonly waitMs: number; readonly leaseMs: number },
    /** Increases with each change of a lock. */
    private readonly versionOfLocks: () => number,
    /** Called when code sets a timer. */
    private readonly noteTimer: () => void,
  ) {}

  /** The actor waits for one of its own timers, if it waits for anything in its process. */
  isWaiting(actor: string): boolean {
    return (this.pending.get(actor)?.size ?? 0) > 0;
  }

  /** The code of the actor may be a loop that counts its retries, and is still awaited. */
  mayEnd(actor: string): boolean {
    return this.lateMsOf(actor) < this.longestMs;
  }

  private lateMsOf(actor: string): number {
    return this.lateMs.get(actor) ?? 0;
  }

  private get longestMs(): number {
    return WAITS_OF_POLLS * this.options.waitMs;
  }

  /** Sets a timer of the running actor. Undefined: no actor runs, or the timer is to run in real time. */
  set(
    run: () => void,
    ms: number | undefined,
    { isPeriodic }: { readonly isPeriodic: boolean },
  ): VirtualTimer | undefined {
    const actor = currentScope()?.actor;
    if (actor === undefined || ms === undefined || !(ms > PUTS_OFF_MS)) return undefined;
    this.noteTimer();
    const inContext = inContextOf(run);
    const own = this.pending.get(actor) ?? new Set();
    this.pending.set(actor, own);
    const timer: VirtualTimer = new VirtualTimer(
      () => {
        if (isPeriodic) return this.clock.for(actor).every(ms, inContext);
        return this.clock.once(actor, this.dueOf(actor, ms), () => {
          own.delete(timer);
          if (this.clock.now >= LONGEST_SLEEP_MS)
            this.lateMs.set(actor, this.lateMsOf(actor) + Math.max(ms, this.longestMs / MOST_POLLS));
          this.inVain.set(actor, { times: this.firedInVain(actor) + 1, version: this.versionOfLocks() });
          return inContext();
        });
      },
      (cleared) => own.delete(cleared),
    );
    own.add(timer);
    return timer;
  }

  /**
   * When a timer of `ms` is due: with exponential backoff while no lock changes. A change at the same virtual time makes it due after
   * `ms`, whether it comes before or after the timer is set: the order of independent steps does not decide.
   */
  private dueOf(actor: string, ms: number): NonNullable<Timer['dueNow']> {
    const { waitMs, leaseMs } = this.options;
    const { clock } = this;
    const begun = clock.now;
    const version = this.versionOfLocks();
    const firstFrom = (time: number): number => begun + ms * Math.max(1, Math.ceil((time - begun) / ms));
    const isSkipped = waitMs >= leaseMs || begun >= LATE_AFTER_WAITS * waitMs;
    const late =
      begun + Math.max(ms, Math.min(MAX_LATE_MS, ms * 2 ** (isSkipped ? this.firedInVain(actor) : 0)));
    let due = begun < waitMs ? Math.min(late, firstFrom(waitMs)) : late;
    let hasChanged = false;
    return ({ hurry } = { hurry: false }) => {
      if (!hasChanged && (hurry || version !== this.versionOfLocks())) {
        hasChanged = true;
        due = Math.min(due, firstFrom(clock.now));
      }
      return due;
    };
  }

  private firedInVain(actor: string): number {
    const { times = 0, version } = this.inVain.get(actor) ?? {};
    return version === this.versionOfLocks() ? times : 0;
  }
}

/** Calls `run` with the async context of now, except that its steps are those of the scope that fires the timer. */
function inContextOf(run: () => void): () => Promise<void> {
  const body = (): Promise<void> => {
    run();
    return Promise.resolve();
  };
  const bound = AsyncLocalStorage.bind((scope: Scope | undefined) =>
    scope === undefined ? body() : observe(scope, body),
  );
  return () => bound(currentScope());
}
