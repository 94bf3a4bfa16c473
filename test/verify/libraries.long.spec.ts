import {
  cellOf,
  explore,
  planOf,
  play,
  readToken,
  replay,
  scheduleTokenOf,
  shrink,
  worstWitness,
  writeToken,
} from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadOwn, openOwnFiles } from './own-files';

const ROOT = join(__dirname, '..', '..');
const RECIPES = join(ROOT, 'libs', 'libraries', 'recipes');
/** Inside the project: the recipes find the libraries among its development dependencies. */
const { world, folder } = openOwnFiles(__filename, join(ROOT, 'test'));

function recipe(name: string): Strategy {
  const file = join(folder, `${name}.js`);
  copyFileSync(join(RECIPES, `${name}.js`), file);
  return loadOwn(file);
}

/** Schedules of a circumstance; a number, not a time, so that the result does not depend on the machine. */
const MAX = 500;

test.each([
  ['redlock-4', 'slow work', 'oversold'],
  ['redlock-4', 'pause', 'oversold'],
  ['redlock-4-extend', 'pause', 'oversold'],
  ['redis-semaphore-lost', 'pause', 'oversold'],
  ['ioredis-lock', 'slow work', 'oversold'],
  ['ioredis-lock', 'lapse', 'oversold'],
])('%s, %s: %s, and the token of the shortest schedule replays it', async (name, cell, kind) => {
  const strategy = recipe(name);
  const plan = planOf(strategy, cellOf(cell));
  const worst = worstWitness(await explore(world(), plan, { max: MAX, enough: 1 }));
  if (worst === undefined) throw new Error('no violation was found');
  const played = await shrink(world(), plan, worst.witness.choices, worst.kind);
  const token = writeToken(scheduleTokenOf(plan.setup, played));
  const again = await replay(world(), readToken(token, strategy));
  expect([again.sameCode, again.verdict.violations.map((violation) => violation.kind)]).toEqual([
    true,
    expect.arrayContaining([kind]),
  ]);
});

test.each([
  ['redis-semaphore', 'slow work'],
  ['redis-semaphore', 'kill'],
  ['redlock-4', 'two processes'],
  ['ioredis-lock', 'lapse at release'],
])('%s, %s: none of the schedules sells a unit twice or releases the lock of another', async (name, cell) => {
  const { kinds } = await explore(world(), planOf(recipe(name), cellOf(cell)), { max: MAX });
  const broken = ['oversold', 'lost-update', 'foreign-release'].filter((kind) => kinds.has(kind as never));
  expect(broken).toEqual([]);
});

test('the same schedule of a library is the same history', async () => {
  const { setup } = planOf(recipe('redis-semaphore'), cellOf('two processes'));
  const first = await play(world(), setup, [], { strict: false });
  const again = await play(world(), setup, first.choices, { strict: true, checks: first.checks });
  expect(again.history.events.map((event) => ('text' in event ? event.text : ''))).toEqual(
    first.history.events.map((event) => ('text' in event ? event.text : '')),
  );
});
