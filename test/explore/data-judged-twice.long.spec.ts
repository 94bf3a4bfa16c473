import { EXPLORE_OPTIONS, parseBudget, playRandom, type Plan, type World } from '#lab/explore';
import { seeded } from '#lab/random';
import { CATALOGUE, FAULTS, type Strategy } from '#lab/strategy';
import { harmOf, type ScheduleHistory } from '#lab/verdict';
import { openWorld } from '../harness/servers';
import * as plants from './plants';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

/** Random schedules per fault. */
const SCHEDULES = 40;
const SEED = 20;

/** Strategies that break a promise, and planted bugs; strategies that need further servers are too slow here. */
const UNSAFE: readonly Strategy[] = [
  ...CATALOGUE.filter(({ lacks, needs = [] }) => lacks.length > 0 && needs.length === 0),
  ...Object.values(plants).flatMap((made) => (typeof made === 'function' ? made(() => world).bug : made.bug)),
];

/** A verdict from the rows and the answers alone: true if they contradict each other. */
function isWrong({ stock, actors, events, final }: ScheduleHistory): boolean {
  const ends = new Map(events.flatMap((event) => (event.type === 'end' ? [[event.actor, event.code]] : [])));
  const sold = final.movements.length;
  const bought = new Set(final.movements.map(({ request }) => request));
  const isAnsweredWrongly = actors.some(({ name }) => {
    const code = ends.get(name) ?? 'DIED';
    if (code === 'APPLIED') return !bought.has(name);
    if (code === 'STOCK.SOLD_OUT' && sold < stock) return true;
    return code !== 'DIED' && code !== 'OUTCOME_UNKNOWN' && bought.has(name);
  });
  return sold > stock || sold !== stock - final.amount || isAnsweredWrongly;
}

let rights = 0;
let wrongs = 0;

test.each(['', ...Object.keys(FAULTS)].map((fault, i) => ({ fault, seed: SEED + i })))(
  'faults "$fault": a schedule is judged data-wrong exactly when its rows and answers contradict each other',
  async ({ fault, seed }) => {
    const random = seeded(seed);
    const verdicts: [boolean, boolean, string][] = [];
    for (let i = 0; i < SCHEDULES; i++) {
      const strategy = UNSAFE[Math.floor(random() * UNSAFE.length)];
      if (strategy === undefined) throw new Error('no strategy is unsafe');
      const setup = {
        strategy,
        options: { ...EXPLORE_OPTIONS, workMs: fault === 'slow' ? 10_000 : 0 },
        stock: 1 + (i % 2),
        processes: ['p1', i % 3 === 0 ? 'p1' : 'p2'],
      };
      const plan: Plan = { setup, budget: parseBudget(fault), faultPlaces: {}, reduce: false };
      const { history, verdict } = await playRandom(world, plan, random);
      const isJudged = verdict.violations.some(({ kind }) => harmOf(kind) === 'data-wrong');
      verdicts.push([isJudged, isWrong(history), strategy.name]);
    }
    expect(verdicts.filter(([judged, wrong]) => judged !== wrong)).toEqual([]);
    const found = verdicts.filter(([, wrong]) => wrong).length;
    wrongs += found;
    rights += SCHEDULES - found;
  },
);

test('both schedules with wrong data and schedules with right data were judged', () => {
  expect(wrongs).toBeGreaterThan(0);
  expect(rights).toBeGreaterThan(0);
});
