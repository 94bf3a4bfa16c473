import { EXPLORE_OPTIONS, Schedule, explore, planOf, cellOf, type Tally, type World } from '#lab/explore';
import { CATALOGUE, fileOf, type Strategy } from '#lab/strategy';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { openWorld } from '../harness/servers';
import { TRIALS, lockStepsOf } from '../contract/promises';
import { booleanFlag } from '../fixtures/module-state/boolean-flag';
import { keyOfTheProcess } from '../fixtures/module-state/key-of-the-process';
import { moduleMutex } from '../fixtures/module-state/module-mutex';
import { pidAsOwner } from '../fixtures/module-state/pid-as-owner';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test.each([booleanFlag, moduleMutex, keyOfTheProcess])('$name two', async (s) => {
  const t = await explore(world, planOf(s, cellOf('two processes')));
  console.log(s.name, t.schedules, t.kinds);
});
test.each([booleanFlag, moduleMutex, keyOfTheProcess,pidAsOwner])('$name one', async (s) => {
  const t0 = performance.now();
  const t = await explore(world, planOf(s, cellOf('same process')));
  console.log(s.name, t.schedules, t.kinds, t.redundant, performance.now()-t0);
});
