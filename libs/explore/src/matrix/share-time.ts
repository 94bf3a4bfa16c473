import { emptyTally, type GoOn, type Limits, type Tally } from '../search';

/** A search that shares a time with others, and answers questions together with them. */
export interface Sharing<Question> {
  /** It has not ended. */
  readonly isOpen: () => boolean;
  /** What it is needed for, and is not answered yet. Empty: its results are an addition. */
  readonly questions: () => readonly Question[];
  /** Estimated milliseconds to its end; `Infinity`: nothing is known. */
  readonly remainingMs: () => number;
}

/** A search that goes on for about this time. */
export interface Turn<Search> {
  readonly search: Search;
  readonly ms: number;
}

/** Shares of the time: for the first turns of all searches, and for those that are the nearest to an answer. */
const FIRST_TURNS = 1 / 3;
const ANSWERS = 1 / 3;

/**
 * Shares a time among searches that can pause: the caller runs each turn before it takes the next one. At first each search has an
 * equal part, because most violations are found early. Then the question goes on whose searches need the least time, as far as they
 * can end: with equal parts for all, none may reach its end. The last third, and what is left of the others, goes to those that are
 * open in equal parts.
 */
export function* turns<Search extends Sharing<unknown>>(
  searches: readonly Search[],
  ms: number,
  signal: AbortSignal,
): Generator<Turn<Search>> {
  const begun = performance.now();
  const leftOf = (share: number): number =>
    signal.aborted ? 0 : Math.max(0, begun + ms * share - performance.now());
  const open = (): readonly Search[] => searches.filter((one) => one.isOpen());
  const part = (ms * FIRST_TURNS) / searches.length;
  for (const search of searches) if (leftOf(1) > 0 && search.isOpen()) yield { search, ms: part };
  const next = (): Search | undefined => nearest(open(), leftOf(FIRST_TURNS + ANSWERS));
  for (let search = next(); search !== undefined; search = next())
    yield { search, ms: Math.min(leftOf(FIRST_TURNS + ANSWERS), Math.max(part, search.remainingMs())) };
  const rest = open();
  for (const [i, search] of rest.entries())
    if (leftOf(1) > 0 && search.isOpen()) yield { search, ms: leftOf(1) / (rest.length - i) };
}

/** The search that is the next for the question which needs the least time. Undefined: none can be answered in the time. */
function nearest<Search extends Sharing<unknown>>(
  open: readonly Search[],
  leftMs: number,
): Search | undefined {
  if (leftMs <= 0) return undefined;
  const questions = [...new Set(open.flatMap((one) => one.questions()))];
  const groups = questions.map((question) => open.filter((one) => one.questions().includes(question)));
  const single = open.map((one) => [one]); // a part of an answer
  const group = shortest(groups, leftMs) ?? shortest(single, leftMs);
  return group?.toSorted((a, b) => a.remainingMs() - b.remainingMs())[0];
}

/** The searches that need the least time together, and not more than is left. */
function shortest<Search extends Sharing<unknown>>(
  groups: readonly (readonly Search[])[],
  leftMs: number,
): readonly Search[] | undefined {
  const timed = groups.map((group) => ({
    group,
    ms: group.reduce((sum, one) => sum + one.remainingMs(), 0),
  }));
  return timed.filter(({ ms }) => ms <= leftMs).toSorted((a, b) => a.ms - b.ms)[0]?.group;
}

/** A search in turns. */
export class SearchInTurns {
  /** That of all schedules so far. */
  tally: Tally = { ...emptyTally(), partial: true };
  /** Why it could not go on. */
  error: Error | undefined;
  private hasEnded = false;
  private ranMs = 0;

  constructor(private readonly goOn: GoOn) {}

  readonly isOpen = (): boolean => !this.hasEnded;

  /** Goes on for about this time. Rejects never: see `error`. */
  async run(ms: number, limits: Limits): Promise<void> {
    const begun = performance.now();
    let isPaused = false;
    const pauses = (): boolean => (isPaused = performance.now() - begun >= ms);
    try {
      this.tally = await this.goOn({ ...limits, pauses });
      this.hasEnded = !isPaused;
    } catch (error) {
      this.error = error as Error;
      this.hasEnded = true;
    }
    this.ranMs += performance.now() - begun;
  }

  /** As if all schedules took the same time. `max`: number of schedules at which it ends. */
  remainingMs(max = Infinity): number {
    const { searched, schedules } = this.tally;
    const share = Math.min(1, Math.max(searched, schedules / max));
    return share === 0 ? Infinity : this.ranMs * (1 / share - 1);
  }
}
