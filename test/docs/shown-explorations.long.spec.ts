import { wordsOf } from '#lab/course';
import { explore, WorkerPool, type Plan, type Tally, type World } from '#lab/explore';
import { CATALOGUE, componentsOf } from '#lab/strategy';
import { readdirSync } from 'node:fs';
import { countOrders, readPlan, type ExploreOptions } from '../../apps/lab/src/commands/explore';
import { printTally } from '../../apps/lab/src/print/tally';
import { openWorld } from '../harness/servers';
import { commandLine } from './command-line';
import { PAGES, codeLines, read } from './pages';

/** An exploration whose result a page shows. */
interface Shown {
  readonly page: string;
  readonly command: string;
  /** What is explored, as the first line names it. */
  readonly title: string;
  /** Those with a number of schedules. */
  readonly lines: readonly string[];
}

const markdownIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** A name, or two with "beside"; mark; numbers. */
const HEADLINE = /^(([\w/-]+)(?: beside [\w-]+)?): [✗⊘!✓] .+ schedules$/;
const COUNT = /(\d+) of (\d+)\b|\ball (\d+) schedules/;

/** The explorations of a page: a headline in a block of code belongs to the command before it that names its strategy. */
function shownIn(page: string): Shown[] {
  const text = read(page);
  return [...text.matchAll(/^```\w*.*\n([^]*?)^```$/gm)].flatMap((block) => {
    const lines = (block[1] ?? '').split('\n');
    const [, title, strategy] = HEADLINE.exec(lines[0] ?? '') ?? [];
    if (title === undefined) return [];
    const before = [...text.slice(0, block.index).matchAll(/npx lab explore [^`\n#]+/g)];
    const command = before.map(([one]) => one.trim()).findLast((one) => one.split(' ')[3] === strategy);
    if (command === undefined) throw new Error(`${page}: no command before "${lines[0] ?? ''}"`);
    return [{ page, command, title, lines: lines.filter((line) => COUNT.test(line)) }];
  });
}

const shown = [...markdownIn('walkthroughs'), ...PAGES].flatMap(shownIn);
const commands = [...new Set(shown.map(({ command }) => command))];

let parse: ReturnType<typeof commandLine>;
let world: World;
beforeAll(async () => {
  parse = commandLine();
  world = await openWorld(__filename, [...componentsOf(CATALOGUE), 'gateway']);
});
afterAll(() => world.close());

interface Explored {
  readonly plan: Plan;
  readonly tally: Tally;
  readonly interleavings: Awaited<ReturnType<typeof countOrders>>;
}

async function run(command: string, withOrders: boolean): Promise<Explored> {
  const { args, options } = parse(wordsOf(command).slice(2));
  const { max } = options as unknown as ExploreOptions;
  const plan = readPlan(args[0] ?? '', options as unknown as ExploreOptions);
  const tally = await explore(world, plan, max === undefined ? {} : { max });
  const pool = WorkerPool.on(world);
  const interleavings = withOrders ? await countOrders(pool, plan, tally) : undefined;
  return { plan, tally, interleavings };
}

/** The width of a column depends on the lines that a page leaves out. */
const withoutColumns = (line: string): string => line.trim().replace(/\s+/g, ' ');

test('pages show many explorations', () => {
  expect(commands.length).toBeGreaterThan(40);
});

test.each(commands)('%s: the numbers of schedules on the pages', async (command) => {
  const pages = shown.filter((one) => one.command === command);
  const withOrders = pages.some(({ lines }) => lines.some((line) => line.includes('all orders')));
  const { plan, tally, interleavings } = await run(command, withOrders);
  const different = pages.flatMap(({ page, title, lines }) => {
    const printed = printTally({ name: title }, plan, tally, 1, [], {
      interleavings,
      contradictions: [],
      verbose: false,
    });
    const known = printed.split('\n').map(withoutColumns);
    return lines
      .filter((line) => !known.includes(withoutColumns(line)))
      .map((line) => ({ page, line, printed }));
  });
  expect(different).toEqual([]);
});

test('numbers of schedules in the text of the lessons and of the interview pack are shown by a command', () => {
  const numbersIn = (text: string): string[] =>
    [...text.matchAll(new RegExp(COUNT, 'g'))].map(([, n, of, all]) => `${n ?? all} of ${of ?? all}`);
  const pages = markdownIn('walkthroughs');
  const known = [...pages, ...PAGES].flatMap((page) => codeLines(read(page)).flatMap(numbersIn));
  const named = pages.flatMap((page) => {
    const prose = read(page)
      .replace(/^```.*\n[^]*?^```$/gm, '')
      .replace(/\s+/g, ' ');
    return (prose.match(/\d+ of \d+ (?:wrong )?schedules/g) ?? []).map((text) => ({ page, text }));
  });
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ text }) => !numbersIn(text).every((numbers) => known.includes(numbers)))).toEqual(
    [],
  );
});
