import { ConsoleProcess, type Answer } from './support';

interface StepView {
  readonly token: string;
  readonly undo?: string;
  readonly start: string;
  readonly made: readonly string[];
  readonly events: readonly {
    readonly n: number;
    readonly type: string;
    readonly text: string;
    readonly inChinese?: string;
  }[];
  readonly controls: readonly { readonly choice: string; readonly disabled?: { readonly code: string } }[];
  readonly violations: readonly { readonly kind: string; readonly sentence: string }[];
  readonly balances: Readonly<Record<string, number>>;
  readonly isOver: boolean;
}

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly errors: { readonly token: string };
}

let app: ConsoleProcess;
beforeAll(async () => {
  app = await ConsoleProcess.start();
});
afterAll(() => app.stop());

const begin = (strategy: string): Promise<Answer<StepView>> => app.post('/api/steps/begin', { strategy });
const choose = (token: string, choice?: string): Promise<Answer<StepView>> =>
  app.post('/api/steps', { token, ...(choice !== undefined && { choice }) });

/** Makes the choices one after the other, as a reader clicks them. */
async function click(strategy: string, choices: string): Promise<StepView> {
  let { json: view } = await begin(strategy);
  for (const choice of choices.split(' ')) {
    const { status, json } = await choose(view.token, choice);
    expect({ choice, status }).toEqual({ choice, status: 200 });
    view = json;
  }
  return view;
}

const kindsIn = ({ violations }: StepView): string[] => violations.map(({ kind }) => kind);
/** Lock tokens and session numbers differ between runs; the steps do not. */
const shapeOf = (view: StepView): unknown => ({
  ...view,
  events: view.events.map(({ n, type, text }) => [n, type, text.replace(/[0-9a-f-]{36}/g, 'uuid')]),
});

test('the A-B-C problem by clicks: the lease ends, the next holder enters, and the first one deletes its lock', async () => {
  const view = await click('expiring', 'a L b a a a a a a');
  expect(kindsIn(view)).toEqual(expect.arrayContaining(['foreign-release']));
  expect(view.isOver).toBe(false);
});

test('what is no statement is said in Chinese, too', async () => {
  const { events } = (await choose('v1.watchdog..1.12.a5P1Tab3a2b4...e58a75')).json;
  const words = events.filter(({ type }) => type !== 'step').map(({ text, inChinese }) => [text, inChinese]);
  expect(words).toEqual(
    expect.arrayContaining([
      ['p1 (A) is paused', 'p1 (A) 停顿'],
      ['sold one: 1 → 0', '卖出一件：1 → 0'],
    ]),
  );
  for (const [, inChinese] of words) expect(inChinese).toMatch(/[\u4e00-\u9fff]/);
  const { events: others } = await click('expiring', 'a L');
  expect(others.at(-1)).toMatchObject({ text: "A's lease ends", inChinese: 'A 的租期结束' });
});

test('undo twice is the schedule before the last two choices, and the token alone restores any state', async () => {
  const four = await click('expiring', 'a L b a');
  const six = await click('expiring', 'a L b a a a');
  const five = (await choose(six.undo ?? '')).json;
  const undone = (await choose(five.undo ?? '')).json;
  expect(shapeOf(undone)).toEqual(shapeOf(four));
  expect(six.made).toEqual(['a', 'L', 'b', 'a', 'a', 'a']);
  expect(shapeOf((await choose(six.token)).json)).toEqual(shapeOf(six));
  expect((await choose(six.start)).json.events).toEqual([]);
});

test('the rest of a schedule without faults makes the choices that its token then has', async () => {
  const { token } = await click('none', 'a b');
  const { json: rest } = await app.post<StepView>('/api/steps', { token, finish: true });
  expect(rest.isOver).toBe(true);
  expect(kindsIn(rest)).toEqual(['oversold', 'lost-update']);
  expect(shapeOf((await choose(rest.token)).json)).toEqual(shapeOf(rest));
});

test('two readers of one schedule do not disturb each other', async () => {
  const { json: both } = await begin('none');
  const [a, b] = await Promise.all([choose(both.token, 'a'), choose(both.token, 'b')]);
  const [more, other] = await Promise.all([choose(a.json.token, 'a'), choose(b.json.token, 'b')]);
  expect(more.json.events.map(({ n }) => n)).toEqual([1, 2]);
  expect(shapeOf(other.json)).not.toEqual(shapeOf(more.json));
  expect(shapeOf((await choose(a.json.token, 'a')).json)).toEqual(shapeOf(more.json));
});

test('thirty schedules at once on fewer servers: each one is right', async () => {
  const views = await Promise.all(Array.from({ length: 30 }, () => click('none', 'a b a a a a b b b b')));
  for (const view of views) {
    expect(view.isOver).toBe(true);
    expect(kindsIn(view)).toEqual(['oversold', 'lost-update']);
    expect(view.balances).toEqual({ item: 0 });
  }
});

describe('bad input is refused with a reason, and changes nothing', () => {
  test.each([
    ['an unknown strategy', { strategy: 'no-such' }, 400, 'STRATEGY.UNKNOWN'],
    ['a strategy whose name cannot exist', { strategy: 'No such!' }, 400, 'STRATEGY.UNKNOWN'],
    ['processes that do not exist', { strategy: 'none', actors: '19' }, 400, 'REQUEST.INVALID'],
    ['a field that does not exist', { strategy: 'none', file: '/etc/passwd' }, 400, 'REQUEST.INVALID'],
  ])('begin: %s', async (_, body, status, code) => {
    const { status: got, json } = await app.post('/api/steps/begin', body);
    expect([got, json['code']]).toEqual([status, code]);
  });

  test.each([
    ['a token that cannot be read', 'v1.none', undefined, 400, 'EXPLORE.TOKEN'],
    ['a token of a strategy that is gone', 'v1.gone..1.12....aaaaaa', undefined, 400, 'STRATEGY.UNKNOWN'],
    ['a choice that does not exist', 'v1.none..1.12....aaaaaa', 'zz', 400, 'REQUEST.INVALID'],
    ['a choice that is not enabled', 'v1.none..1.12....aaaaaa', 'L', 409, 'EXPLORE.NOT_ENABLED'],
  ])('choose: %s', async (_, token, choice, status, code) => {
    const { status: got, json } = await choose(token, choice);
    expect([got, (json as unknown as { code: string }).code]).toEqual([status, code]);
  });

  test('a token whose strategy has changed names the schedule up to the last step that is the same', async () => {
    const { token } = await click('none', 'a a');
    const [version, name, options, stock, actors, schedule, checks = '', kinds, hash] = token.split('.');
    const other = [version, name, options, stock, actors, schedule, `${checks.charAt(0)}-`, kinds, hash].join(
      '.',
    );
    const { status, json } = await app.post<Refusal>('/api/steps', { token: other });
    expect([status, json.code]).toEqual([409, 'EXPLORE.NO_LONGER']);
    expect((await choose(json.errors.token)).json.events).toHaveLength(1);
  });

  test('so does a token whose later choice is impossible, when its beginning has just been played', async () => {
    await click('none', 'a a');
    const { status, json } = await app.post<Refusal>('/api/steps', { token: 'v1.none..1.12.a2Lb...bb2f4f' });
    expect([status, json.code]).toEqual([409, 'EXPLORE.NO_LONGER']);
    expect(json.detail).not.toMatch(/the strategy has changed/); // the token has the hash of its code
    expect((await choose(json.errors.token)).json.events).toHaveLength(2);
  });
});
