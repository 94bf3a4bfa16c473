import type { Actor } from './actor';
import { isIdle, OutsideTheSeam } from './idle';
import type { Sessions } from './sessions';
import { Signal } from './signal';
import { asksForLock, asksForName } from './sql-words';
import { isQuiet, isSilent, type Flight, type Strand } from './strand';

/** After so many milliseconds without an answer the server is asked whether a statement waits. */
const PATIENCE_MS = 3;

/** So often, with `PATIENCE_MS` in between, an actor may be found busy without a step, for example with I/O of its own. */
const MOST_SILENCE = 1000;

/** Knows when nothing will happen by itself: every actor is held, done, or waits for another one in a server. */
export class Quiet {
  private readonly signal = new Signal();
  private moves = 0;

  constructor(
    private readonly sessions: Sessions,
    private readonly actors: readonly Actor[],
  ) {}

  /** Something happened. */
  moved(): void {
    this.moves++;
    for (const strand of this.idle()) strand.idle = false; // the step may have let it go: it is looked at again
    this.signal.fire();
  }

  /** Another session may have let go: whoever waits must be looked at anew. */
  unblock(except?: Flight): void {
    for (const flight of this.flights()) if (flight !== except) flight.blocked = false;
  }

  async settle(): Promise<void> {
    for (;;) {
      const next = this.signal.next();
      const { moves } = this;
      if (!this.allQuiet()) await this.waitOrAsk(next);
      else {
        await new Promise(setImmediate); // steps that an actor makes at the same time arrive in one turn
        if (moves === this.moves && this.allQuiet()) return;
      }
    }
  }

  /** Waits until something happens by itself, at most `ms` of real time. */
  async happening(ms: number): Promise<boolean> {
    return (await within(this.signal.next(), ms)) === 'yes';
  }

  private allQuiet(): boolean {
    return this.actors.every((actor) => actor.strands.every(isQuiet));
  }

  private strands(): Strand[] {
    return this.actors.flatMap(({ strands }) => strands);
  }

  private idle(): Strand[] {
    return this.strands().filter(({ idle }) => idle);
  }

  private flights(): Flight[] {
    return this.actors.flatMap((actor) => actor.strands.flatMap((strand) => [...strand.flights]));
  }

  private async waitOrAsk(next: Promise<void>): Promise<void> {
    const open = this.flights().filter(({ step, blocked }) => step.kind === 'sql' && !blocked);
    if (open.length === 0) return this.waitOrFindIdle(next);
    if (!open.some((flight) => this.isContended(flight)) && (await within(next, PATIENCE_MS)) === 'yes')
      return;
    const threads = open.flatMap(({ step }) => step.connection ?? []);
    const waiting = await this.sessions.waiting(
      threads,
      open.some(({ step }) => asksForName(step)),
    );
    for (const flight of open)
      if (flight.step.connection !== undefined && waiting.has(flight.step.connection)) flight.blocked = true;
  }

  /**
   * No statement is under way. When no other server has to answer either, the actors that are not held run, or wait for
   * one another in the memory of a process, which the seam does not see.
   */
  private async waitOrFindIdle(next: Promise<void>): Promise<void> {
    const { moves } = this;
    for (let looks = 0; (await within(next, PATIENCE_MS)) === 'no'; looks++) {
      const restless = this.strands().filter((strand) => !isQuiet(strand));
      if (!restless.every(isSilent)) return next; // a server has to answer
      const silent = this.actors.filter(({ strands }) => strands.some((strand) => restless.includes(strand)));
      if ((await isIdle(silent, this.actors)) && moves === this.moves) {
        for (const strand of restless) strand.idle = strand.waited = true;
        return;
      }
      if (looks > MOST_SILENCE) throw new OutsideTheSeam(silent.map(({ name }) => name));
    }
  }

  /** The statement asks for a lock while another session has some: it is likely to wait. */
  private isContended({ step }: Flight): boolean {
    return (
      asksForLock(step) &&
      this.actors.some((actor) =>
        [...actor.holdings.rows, ...actor.holdings.names].some((session) => session !== step.connection),
      )
    );
  }
}

function within(event: Promise<void>, ms: number): Promise<'yes' | 'no'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve('no');
    }, ms);
    void event.then(() => {
      clearTimeout(timer);
      resolve('yes');
    });
  });
}
