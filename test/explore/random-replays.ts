import {
  EXPLORE_OPTIONS,
  differenceOf,
  parseBudget,
  playRandom,
  readToken,
  replay,
  scheduleTokenOf,
  writeToken,
  type Plan,
  type World,
} from '#lab/explore';
import { seeded } from '#lab/random';
import { CATALOGUE, findStrategy } from '#lab/strategy';

const BUDGETS = [
  '',
  'kill:1',
  'lapse:1',
  'pause:1',
  'cut:1,lapse:1',
  'in-flight:1,lapse:1',
  'lose-reply:1',
  'error:1',
  'flush:1',
  'tick:2',
  'overrun:1',
];

export function planOf(strategy: string, faults: string, actors = 2): Plan {
  const processes = ['p1', 'p2', 'p3'].slice(0, actors);
  const setup = { strategy: findStrategy(strategy), options: EXPLORE_OPTIONS, stock: 1, processes };
  return { setup, budget: parseBudget(faults), faultPlaces: {}, reduce: false };
}

/** Expects that so many random schedules replay identically from their tokens. */
export async function expectIdenticalReplays(world: World, tokens: number, seed: number): Promise<void> {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  for (let i = 0; i < tokens; i++) {
    const plan = planOf(pick(CATALOGUE).name, pick(BUDGETS), pick([2, 2, 2, 3]));
    const first = await playRandom(world, plan, random);
    const token = writeToken(scheduleTokenOf(plan.setup, first));
    expect(token).toMatch(/^[\w.-]+$/);
    const second = await replay(world, readToken(token));
    const difference = differenceOf(first.history, second.history);
    expect({ token, difference }).toEqual({ token, difference: undefined });
  }
}
