import { turns, type Sharing } from '#lab/explore';

/** How a time is shared among searches. The clock of these tests counts what the searches use. */

const clock = { ms: 0 };
beforeEach(() => {
  clock.ms = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => clock.ms);
});
afterEach(() => jest.restoreAllMocks());

/** A search that needs so much time, and knows after its first part how much. `asks`: what it is needed for. */
class Needs implements Sharing<string> {
  ranMs = 0;

  constructor(
    private readonly ms: number,
    private readonly asks: readonly string[],
  ) {}

  readonly isOpen = (): boolean => this.ranMs < this.ms;
  readonly questions = (): readonly string[] => this.asks;
  readonly remainingMs = (): number => (this.ranMs === 0 ? Infinity : this.ms - this.ranMs);

  run(ms: number): void {
    const used = Math.min(ms, this.ms - this.ranMs);
    this.ranMs += used;
    clock.ms += used;
  }
}

const never = new AbortController().signal;

function shareTime(searches: readonly Needs[], ms: number, signal: AbortSignal): void {
  for (const turn of turns(searches, ms, signal)) turn.search.run(turn.ms);
}

test('every search runs for an equal first part, and ends when the time is enough', () => {
  const searches = [new Needs(10, ['a']), new Needs(500, ['b']), new Needs(90, ['c'])];
  shareTime(searches, 1000, never);
  expect(searches.map((one) => one.ranMs)).toEqual([10, 500, 90]);
  expect(clock.ms).toBe(600);
});

test('the question whose searches need the least time is answered first, before a shorter search of another question', () => {
  const searches = [
    new Needs(9000, ['long']),
    new Needs(200, ['long']),
    new Needs(180, ['pair']),
    new Needs(210, ['pair']),
  ];
  shareTime(searches, 1200, never);
  // 100 each, 190 for the pair, 100 for the shorter search of the other question, and what is left
  expect(searches.map((one) => one.ranMs)).toEqual([610, 200, 180, 210]);
});

test('at least a third of the time is for those that are far from an answer', () => {
  const searches = [new Needs(9000, ['a']), new Needs(9000, ['b']), new Needs(500, ['c'])];
  shareTime(searches, 900, never);
  expect(searches.map((one) => one.ranMs)).toEqual([300, 300, 300]); // 400 are not left for it
  const more = [new Needs(9000, ['a']), new Needs(9000, ['b']), new Needs(390, ['c'])];
  shareTime(more, 900, never);
  expect(more.map((one) => one.ranMs)).toEqual([255, 255, 390]);
});

test('what no search can use to its end is shared in equal parts', () => {
  const searches = [new Needs(5000, ['a']), new Needs(5000, ['b'])];
  shareTime(searches, 600, never);
  expect(searches.map((one) => one.ranMs)).toEqual([300, 300]);
});

test('without a limit every search runs to its end at once', () => {
  const searches = [new Needs(5000, ['a']), new Needs(70, [])];
  shareTime(searches, Infinity, never);
  expect(searches.map((one) => one.ranMs)).toEqual([5000, 70]);
});

test('after an interruption no search goes on', () => {
  const interrupt = new AbortController();
  const searches = [new Needs(10, []), new Needs(20, []), new Needs(30, [])];
  for (const { search, ms } of turns(searches, 1000, interrupt.signal)) {
    search.run(ms);
    interrupt.abort();
  }
  expect(searches.map((one) => one.ranMs)).toEqual([10, 0, 0]);
});
