import {
  cellOf,
  execute,
  planOf,
  readSchedule,
  rootOf,
  type Execution,
  type Footprint,
  type World,
} from '#lab/explore';
import { CATALOGUE, findStrategy, type Strategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** What the choices of a schedule access: it begins with the choices in `text`. */
async function pathOf(strategy: Strategy, text: string, cell = 'two processes'): Promise<Execution['path']> {
  const plan = planOf(strategy, cellOf(cell));
  const { path } = await execute(world, plan, { ...rootOf(false), prefix: readSchedule(text) ?? [] });
  return path;
}

test.each(CATALOGUE)(
  '$name: what the choices of a schedule access is the same in every run',
  async (strategy) => {
    const once = await pathOf(strategy, '');
    expect(once?.footprints.length).toBeGreaterThan(3);
    expect(await pathOf(strategy, '')).toEqual(once);
  },
);

test('a row with a random key has the same name, whoever accesses it first', async () => {
  const singleWriter = findStrategy('single-writer');
  const byItself = await pathOf(singleWriter, 'a');
  expect(rowsOf(byItself?.footprints)).toContain('decision "A-1"');
  const byTheOther: (string | undefined)[] = [];
  for (let steps = 1; steps < 8; steps++) {
    const path = await pathOf(singleWriter, `a${'b'.repeat(steps)}`);
    byTheOther.push(...rowsOf(path?.footprints.slice(0, 1))); // of the last choice of the beginning
  }
  expect(byTheOther).toContain('decision "A-1"');
});

const rowsOf = (footprints: readonly Footprint[] = []): readonly (string | undefined)[] =>
  footprints
    .flatMap(({ accesses }) => (accesses === 'everything' ? [] : accesses))
    .filter(({ part }) => part === 'rows')
    .map(({ key }) => key);

test('a command of a process that is cut off accesses nothing but the memory of the process', async () => {
  const releaseAfter = async (text: string): Promise<Footprint | undefined> =>
    (await pathOf(findStrategy('setnx'), text, 'cut'))?.footprints[1]; // of the choice after the prefix
  expect((await releaseAfter('a6'))?.accesses).toContainEqual(expect.objectContaining({ part: 'keys' }));
  expect(await releaseAfter('a6C1')).toEqual({
    actor: 'A',
    accesses: [{ part: 'memory', of: 'p1', writes: false }],
    decidedBy: [{ part: 'link', of: 'p1', writes: false }],
  });
});

test('a client of several servers reads its clock behind a release without effect', async () => {
  const path = await pathOf(findStrategy('redlock'), 'a3b4'); // A holds the lock; B has not got it, and releases it
  expect(path?.footprints[0]).toMatchObject({
    actor: 'B',
    accesses: expect.arrayContaining([{ part: 'clock', of: '*', writes: false }]) as unknown,
  });
});

test.each([
  ['setnx', false], // only behind commands on its lock, which depend on the end of a lease
  ['segmented', true], // behind a SELECT
  ['unlock-before-commit', true], // behind START TRANSACTION
])('%s reads the clock where the time of its step matters: %p', async (name, expected) => {
  const plan = planOf(findStrategy(name), cellOf('pause'));
  expect((await execute(world, plan, rootOf(false))).showsReadClock).toBe(expected);
});
