import { wordsOf } from '#lab/course';
import {
  CELLS,
  cellOf,
  existsFor,
  exploreCommandOf,
  exploreOptionsOf,
  planOf,
  type Plan,
} from '#lab/explore';
import { CATALOGUE, findStrategy } from '#lab/strategy';
import { readPlan, type ExploreOptions } from '../../apps/lab/src/commands/explore';
import { commandLine } from '../docs/command-line';

let parse: ReturnType<typeof commandLine>;
beforeAll(() => {
  parse = commandLine();
});

function planOfCommand(command: string): Plan {
  const { args, options } = parse(wordsOf(command).slice(2));
  return readPlan(args[0] ?? '', options as unknown as ExploreOptions);
}

test.each(CATALOGUE.map((strategy) => [strategy.name, strategy] as const))(
  'the commands for the circumstances of the matrix explore the plans of %s',
  (_, strategy) => {
    const cells = CELLS.filter((cell) => existsFor(strategy, cell));
    const shown = cells.filter((cell) => exploreCommandOf(strategy, cell) !== undefined);
    expect(shown.length).toBeGreaterThan(10);
    for (const cell of shown)
      expect(planOfCommand(exploreCommandOf(strategy, cell) ?? '')).toEqual(planOf(strategy, cell));
  },
);

test('the suggested command has all options of the command before it, and none that has its default', () => {
  const options =
    '--actors 3 --crossed-carts --stock 2 --faults lapse:1,slow:1 --lease-ms 9000 --wait-ms 500 --work-ms 20 --wait notify --isolation read-committed';
  expect(exploreOptionsOf(planOfCommand(`npx lab explore multi ${options}`)).join(' ')).toBe(options);
  expect(exploreOptionsOf(planOf(findStrategy('setnx'), cellOf('two processes')))).toEqual([]);
});
