import { EXPLORE_OPTIONS, explore, judgeCell, parseBudget, type Plan, type World } from '#lab/explore';
import { findStrategy, type FaultName } from '#lab/strategy';
import { MARKS } from '#lab/verdict';
import { wordsOf } from '#lab/course';
import { openWorld } from '../harness/servers';
import { commandLine } from './command-line';
import { read } from './pages';

const rows = read('README.md')
  .split('\n')
  .filter((line) => line.includes('`npx lab explore'))
  .map((line) => {
    const [, , strategy = '', fails = '', command = ''] = line.split('|').map((cell) => cell.trim());
    return {
      strategy: strategy.replaceAll('`', ''),
      sign: fails.charAt(0),
      command: command.replaceAll('`', ''),
    };
  });

let parse: ReturnType<typeof commandLine>;
let world: World;
beforeAll(async () => {
  parse = commandLine();
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

/** Wrong data is found by then; every other mark needs all schedules. */
const MAX_UNTIL_WRONG = 40;

test('has eight rungs, and two strategies without a lock', () => {
  expect(rows).toHaveLength(10);
});

test.each(rows)('$command shows $sign', async ({ strategy, sign, command }) => {
  const { args, options } = parse(wordsOf(command).slice(2));
  expect(args).toEqual([strategy]);
  const faults = parseBudget(String(options['faults']));
  const plan: Plan = {
    setup: {
      strategy: findStrategy(strategy),
      options: EXPLORE_OPTIONS,
      stock: Number(options['stock']),
      processes: ['p1', 'p2'],
    },
    budget: faults,
    faultPlaces: {},
    reduce: true,
  };
  const tally = await explore(world, plan, sign === MARKS['data-wrong'].sign ? { max: MAX_UNTIL_WRONG } : {});
  const [about] = Object.keys(faults) as FaultName[];
  expect(MARKS[judgeCell(tally, about).mark].sign).toBe(sign);
});
