import { executions, parseBudget, scheduleText, type World } from '#lab/explore';
import { endingsOf, planOfTwo } from '#load-tests/selftest';
import { DependencyDown } from '#lab/step';
import { CATALOGUE, findStrategy, sourcesOf, type Strategy } from '#lab/strategy';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planted, sellUnprotected } from '../harness/planted';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** The first choices of all schedules with one killed process. */
async function beginnings(strategy: Strategy): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const { choices } of executions(world, planOfTwo(strategy, parseBudget('kill:1'), true)))
    found.add(scheduleText(choices.slice(0, 1)));
  return [...found].sort();
}

test('of two interchangeable buyers the second one never begins', async () => {
  expect(await beginnings(findStrategy('token-lua'))).toEqual(['a']);
});

test('both begin where the id of a request decides', async () => {
  expect(await beginnings({ ...planted('by-id', conditionally), usesRequestId: true })).toEqual(['a', 'b']);
});

test('the comparison with all interleavings finds buyers that are only said to be interchangeable', async () => {
  const hidden = planted('by-hidden-id', conditionally);
  const [reduced, all] = [
    await endingsOf(world, planOfTwo(hidden, parseBudget('lapse:1'), true)),
    await endingsOf(world, planOfTwo(hidden, parseBudget('lapse:1'), false)),
  ];
  const missing = [...(all?.found.keys() ?? [])].filter((ending) => reduced?.found.has(ending) !== true);
  expect(missing).not.toEqual([]);
});

test('every strategy that selects a row by the id of the request says so', () => {
  const lib = join(__dirname, '..', '..', 'libs', 'strategy', 'src');
  const selects = CATALOGUE.filter((strategy) =>
    sourcesOf(strategy).some(
      (file) =>
        file.endsWith('.ts') && /\borderByHash\(change\.request/.test(readFileSync(join(lib, file), 'utf8')),
    ),
  );
  expect(selects.map(({ name }) => name)).toEqual(['segmented-naive', 'segmented', 'segmented-redis']);
  expect(CATALOGUE.filter(({ usesRequestId }) => usesRequestId === true)).toEqual(selects);
});

/** Sells without protection; when nothing is left, buyer A receives another error than B. */
const conditionally: Strategy['apply'] = async (change, { balances }) => {
  const isEmpty = (await balances.read(change.balance)) === 0;
  if (isEmpty && change.request === 'A') throw new DependencyDown('sql', 'nothing is left');
  return sellUnprotected(change, balances);
};
