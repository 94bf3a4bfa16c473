import { CELLS, strategyHash, SUMMARY_COLUMNS, type SavedMatrix } from '#lab/explore';
import { CATALOGUE, findStrategy } from '#lab/strategy';
import { SCENARIOS } from '#load-tests/scenarios';
import { MARKS } from '#lab/verdict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matrixView } from '../../apps/console/src/catalogue/matrix-view';
import { strategyView } from '../../apps/console/src/catalogue/strategy-view';
import { ConsoleProcess } from './support';

interface StrategyJson {
  readonly name: string;
  readonly files: readonly string[];
  readonly presets: readonly string[];
}

let app: ConsoleProcess;
beforeAll(async () => {
  app = await ConsoleProcess.start();
});
afterAll(() => app.stop());

test('every strategy names its own file first, and only files and presets that exist', async () => {
  const { json } = await app.get<StrategyJson[]>('/api/strategies');
  expect(json.map(({ name }) => name)).toEqual(CATALOGUE.map(({ name }) => name));
  for (const { name, files, presets } of json) {
    expect(files[0]).toBe(`strategies/${name}.ts`);
    expect(files.filter((file) => !existsSync(join('libs/strategy/src', file)))).toEqual([]);
    expect(presets.filter((preset) => SCENARIOS.get(preset)?.plan.strategy !== name)).toEqual([]);
  }
});

/** Names that a Chinese sentence keeps: of commands, of strategies, of products, of code. */
const KEPT =
  /"?\b[A-Z][\w.]*\b|\b[a-z]+(?:-[a-z]+)+\b|\b(?:segmented|redlock|expiring|zookeeper)\b|\b(?:npm|mkdir|rmdir|finally|catch|try|acquire|stream|id|key|token|czxid|revision|version|owner|holder|fence|stock|n|expires_at|waitMs|js|beta)\b|\/lab\/\S+\/reconcile/g;

test('the console says of each strategy in Chinese how it works, its defect, and why the next one is better', async () => {
  const { json } =
    await app.get<(StrategyJson & { readonly inChinese?: Record<string, string> })[]>('/api/strategies');
  const said = json.map(({ inChinese = {} }) => Object.values(inChinese));
  expect(said.map(({ length }) => length)).toEqual(CATALOGUE.map(() => 3));
  const english = said.flat().filter((text) => /[a-z]/i.test(text.replaceAll(KEPT, '')));
  expect(english).toEqual([]);
  expect(said.flat().filter((text) => !/\p{Script=Han}.*。$/u.test(text))).toEqual([]);
});

test('the built console lists the same sources as the sources themselves', async () => {
  const { json } = await app.get<StrategyJson[]>('/api/strategies');
  expect(json.map(({ files }) => [...files].sort())).toEqual(
    CATALOGUE.map((strategy) => [...strategyView(strategy).files].sort()),
  );
});

test('a strategy lists the Lua script of its helper', () => {
  expect(strategyView(findStrategy('watchdog')).files).toEqual(
    expect.arrayContaining(['shared/with-lock.ts', 'shared/lease.ts', 'lua/renew-if-owner.lua']),
  );
});

test('the matrix has the cells of each row in the order of its columns', async () => {
  const { json } = await app.get<{ cells: string[]; rows: { cells: { cell: string; token?: string }[] }[] }>(
    '/api/matrix',
  );
  expect(json.cells).toEqual(CELLS.map(({ name }) => name).filter((name) => json.cells.includes(name)));
  expect(json.rows.length).toBeGreaterThan(0);
  for (const { cells } of json.rows) expect(cells.map(({ cell }) => cell)).toEqual(json.cells);
});

test('the counts of a cell are those that docs/matrix.md has for it', () => {
  const { rows, summary } = matrixView(JSON.parse(readFileSync('docs/matrix.json', 'utf8')) as SavedMatrix);
  const page = readFileSync('docs/matrix.md', 'utf8');
  const [ladder = ''] = page.split('## The ladder')[1]?.split('## ') ?? [];
  for (const strategy of summary.strategies) {
    const [, line = ''] = new RegExp(`^\\| \\[\`${strategy}\`\\][^|]*\\| (.*) \\|$`, 'm').exec(ladder) ?? [];
    const cells = rows.find((row) => row.strategy === strategy)?.cells ?? [];
    const shown = Object.keys(SUMMARY_COLUMNS).map((name) => textOf(cells.find(({ cell }) => cell === name)));
    expect([strategy, ...shown]).toEqual([strategy, ...line.split(' | ').map(withoutFoundMark)]);
  }
});

/** Names that a Chinese sentence keeps: of keys, of processes, of Redis, and of what is sent in upper case. */
const NAMES = /lock:\S+|\bp\d\b|\bRedis\b|\b[A-Z][A-Z_.]*\b/g;

test('the API returns the sentence of each cell in Chinese as well', () => {
  const { rows } = matrixView(JSON.parse(readFileSync('docs/matrix.json', 'utf8')) as SavedMatrix);
  const said = rows.flatMap(({ cells }) => cells.flatMap(({ inChinese }) => inChinese ?? []));
  expect(said.length).toBeGreaterThan(100);
  expect(said.filter((sentence) => /[a-z]/i.test(sentence.replaceAll(NAMES, '')))).toEqual([]);
});

type CellView = ReturnType<typeof matrixView>['rows'][number]['cells'][number];

/** A cell as the page of the console writes it: its sign and its counts. */
function textOf(cell: CellView | undefined): string {
  if (cell === undefined || cell.mark === 'none') return '–';
  const { mark, violating, schedules, isPartial } = cell;
  return `${MARKS[mark].sign} ${violating > 0 ? `${violating}/` : ''}${schedules}${isPartial ? '+' : ''}`;
}

/** `? (! 3/9+)` as `? 3/9+`: the console does not name the harm that an unknown cell has found. */
const withoutFoundMark = (text: string): string => text.replace(/^\? \(. (.*)\)$/, '? $1');

test('a row is stale when the code of its strategy has changed, or the strategy is gone', () => {
  const none = findStrategy('none');
  const row = (strategy: string, code: string) => ({ strategy, code, cost: { redis: 0, sql: 0 }, cells: [] });
  const { rows } = matrixView({
    conditions: {},
    rows: [row('none', strategyHash(none)), row('none', 'ffffff'), row('no-such', 'ffffff')],
  });
  expect(rows.map(({ isStale }) => isStale)).toEqual([false, true, true]);
});

test('without a lab the console says so, and lists what it can run', async () => {
  expect((await app.get('/api/lab')).json).toEqual({ isRunning: false, replicas: [], components: [] });
  const refused = await app.post('/api/runs', { strategy: 'none' });
  expect([refused.status, refused.json['code']]).toEqual([503, 'LAB.STOPPED']);
  expect((await app.get<unknown[]>('/api/presets')).json).toHaveLength(SCENARIOS.size);
});
