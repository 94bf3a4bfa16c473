import { cellOf, explore, planOf, WorkerPool, type Tally, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

/** A search that pauses, and goes on while another search ran on the same servers, is the same search. */

let world: World;
beforeAll(async () => {
  world = await openWorld('paused_search', []);
});
afterAll(() => world.close());

/** Runs a search with a pause whenever `every` looks at the limits were taken, and another search in each pause. */
async function withPauses(every: number): Promise<{ tally: Tally; schedules: string[]; pauses: number }> {
  const plan = planOf(findStrategy('expiring'), cellOf('two products'));
  const other = planOf(findStrategy('none'), cellOf('two processes'));
  const schedules: string[] = [];
  const goOn = WorkerPool.on(world).begin(plan);
  const looks = { left: every };
  for (let pauses = 0; ; pauses++) {
    looks.left = every;
    const tally = await goOn({
      pauses: () => looks.left-- === 0,
      onSchedule: (prefix, { choices }) => schedules.push(JSON.stringify([prefix, choices])),
    });
    if (looks.left >= 0) return { tally, schedules, pauses };
    expect(tally.partial).toBe(true);
    await explore(world, other, { max: 2 });
  }
}

test('a search with pauses runs the same schedules in the same order, and has the same result', async () => {
  const whole = await withPauses(Infinity);
  expect(whole).toMatchObject({ pauses: 0, tally: { partial: false } });
  expect(whole.schedules.length).toBeGreaterThan(100);
  const paused = await withPauses(5);
  expect(paused.pauses).toBeGreaterThan(2);
  expect(paused.schedules).toEqual(whole.schedules);
  expect(paused.tally).toEqual(whole.tally);
});
