import type { Browser, Page } from 'playwright-core';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openShop } from '../e2e/support';
import { evidenceIn, inaccessible, openBrowser, openPage, type OpenPage } from './browser';
import { ConsoleProcess } from './support';

const shop = openShop('page');
let app: ConsoleProcess;
let browser: Browser;
beforeAll(async () => {
  app = await ConsoleProcess.start({ lab: shop().dir });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.stop();
});

const open = (path: string, options?: Parameters<typeof openPage>[2]): Promise<OpenPage> =>
  openPage(browser, `${app.url}${path}`, options);
const click = (page: Page, name: RegExp): Promise<void> => page.getByRole('button', { name }).first().click();
/** Waits for a text anywhere on the page. */
const expectText = (page: Page, text: RegExp): Promise<void> =>
  page.getByText(text).filter({ visible: true }).first().waitFor();

test('a run of none, by one click, shows two lines, ends OVERSOLD, and has an address that shows it again', async () => {
  const { page, messages } = await open('/run');
  await page
    .getByRole('button', { name: /^none\b/ })
    .first()
    .click();
  await expectText(page, /OVERSOLD BY \d+/);
  await page.locator('canvas').first().waitFor();
  await page.locator('iframe').first().waitFor();
  expect(page.url()).toMatch(/\/run\/[0-9a-f]{12}$/);
  await page.reload();
  await expectText(page, /OVERSOLD BY \d+/);
  expect(messages).toEqual([]);
});

test('a run is compared with each other run once, by name, verdict and time, and not with itself', async () => {
  interface Listed {
    readonly job: { readonly id: string };
    readonly folder?: string;
  }
  const start = async (): Promise<string> => {
    const { json } = await app.post<Listed>('/api/runs/presets/conditional-update', {});
    const { page } = await open(`/run/${json.job.id}`);
    await expectText(page, /EXACT/);
    await page.context().close();
    return json.job.id;
  };
  const [first, second] = [await start(), await start()];
  const { json } = await app.get<{ current: Listed[]; past: Listed[] }>('/api/runs');
  const folder = (id: string): string => json.current.find(({ job }) => job.id === id)?.folder ?? '';
  for (const address of [first, folder(first)]) {
    const { page } = await open(`/run/${address}`);
    const select = page.getByLabel('Compare with');
    await select.locator(`option[value="${second}"]`).waitFor({ state: 'attached' });
    for (const other of [first, folder(first), folder(second)])
      expect(await select.locator(`option[value="${other}"]`).count()).toBe(0);
    const texts = await select.locator('option').allTextContents();
    expect(new Set(texts).size).toBe(texts.length);
    await page.context().close();
  }
});

test('while a run lasts, the lanes of its replicas are drawn, and a second click cancels it', async () => {
  const { page, messages } = await open('/run');
  await page
    .getByRole('button', { name: /^token-lua-long-work\b/ })
    .first()
    .click();
  await page.locator('.live-lanes svg rect.bar').first().waitFor();
  await click(page, /^Cancel/);
  await expectText(page, /cancelled on request \(Cancel in this console/);
  expect(messages).toEqual([]);
});

test('the A-B-C problem by clicks; undo twice; the address restores the schedule', async () => {
  const { page, messages } = await open('/step');
  await page.getByLabel('Strategy').selectOption('expiring');
  await click(page, /^Begin/);
  const events = (): Promise<number> => page.locator('[data-event]').count();
  const choose = async (name: RegExp): Promise<void> => {
    const before = page.url();
    await click(page, name);
    await page.waitForURL((url) => String(url) !== before);
  };
  await page.getByRole('button', { name: /^Step A/ }).waitFor();
  await choose(/^Step A/);
  await choose(/^Lease ends/);
  await choose(/^Step B/);
  for (let i = 0; i < 6; i++) await choose(/^Step A/);
  await expectText(page, /A released B's lock/);
  const whole = page.url();
  const all = await events();
  await choose(/^Undo/);
  await choose(/^Undo/);
  expect(await events()).toBeLessThan(all);
  await page.goto(whole);
  await expectText(page, /A released B's lock/);
  expect(await events()).toBe(all);
  expect(messages).toEqual([]);
});

/** Presses a key of Step, and waits for the schedule that it makes. */
async function press(page: Page, key: string): Promise<void> {
  const before = page.url();
  await page.keyboard.press(key);
  await page.waitForURL((url) => String(url) !== before);
}

const WHOLE = '/step/v1.none..1.12.a2b5a3.LILInVdnVd.OU.bb2f4f';

test('the link of a finished schedule opens at its first event and reaches no goal; its choices are made again one by one', async () => {
  const { page, messages } = await open(WHOLE);
  await expectText(page, /Oversold/);
  const rows = page.locator('[data-event]');
  expect(await page.locator('.timeline').evaluate((list: { scrollTop: number }) => list.scrollTop)).toBe(0);
  const all = await rows.count();
  const forward = page.getByRole('button', { name: /^Forward/ });
  expect(await forward.isDisabled()).toBe(true);
  await press(page, 'r');
  expect(await rows.count()).toBe(0);
  await page.reload(); // the schedule is kept
  await forward.click();
  await rows.first().waitFor();
  for (let i = 0; i < 9; i++) await press(page, 'y');
  expect(await rows.count()).toBe(all);
  expect(page.url()).toContain(WHOLE);
  await page.waitForLoadState('networkidle');
  expect(await page.getByText(/Goal reached/).count()).toBe(0);
  await press(page, 'u');
  await press(page, 'a');
  await expectText(page, /Goal reached/);
  expect(messages).toEqual([]);
});

test('a long schedule scrolls in its list, not the page; without a clipboard, Copy link shows the address, selected', async () => {
  const { page, messages } = await open(
    '/step/v1.redlock..1.12.a7P1b13a4b5.oooLInVvoooTTT2oooLIndTTTVdTTT.OUH.b87c55',
  );
  await page.locator('[data-event="24"]').waitFor({ state: 'attached' });
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(720);
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })"); // as over http
  await click(page, /^Copy link/);
  const address = page.getByRole('textbox', { name: /Copy this address/ });
  await address.waitFor();
  expect(await page.evaluate('getSelection().toString()')).toBe(await address.inputValue());
  expect(await address.inputValue()).toBe(page.url());
  expect(messages).toEqual([]);
});

test('on a phone, result, newest event and goal are visible after the last step', async () => {
  const size = { width: 390, height: 844 };
  const { page } = await open('/step/v1.none..1.12.a2b5a2...bb2f4f', { viewport: size, isMobile: true });
  await click(page, /^Step A/);
  await expectText(page, /Goal reached/);
  for (const shown of ['.outcome', '[data-event]:last-child', '.goal-line']) {
    const box = await page.locator(shown).boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(size.height);
  }
});

test('a goal that is missed by too many choices says so', async () => {
  const { page, messages } = await open('/step/v1.watchdog..1.12.a3WTaWTaa2P1Tab3a2b3...e58a75');
  await click(page, /^Step B/);
  await expectText(page, /too many choices/);
  expect(messages).toEqual([]);
});

test.each([
  ['is sent again when the console answers again', undefined],
  ['is sent again when the reader asks for it', 503],
])('a proof that could not be checked says so, and %s', async (_, status) => {
  const { page } = await open('/step/v1.none..1.12.a2b5a2...bb2f4f');
  // The page sends it again by itself: the second request waits until the message has been seen.
  let show = (): void => undefined;
  const seen = new Promise<void>((resolve) => {
    show = resolve;
  });
  let requests = 0;
  await page.route('**/proofs', async (route) => {
    if (requests++ > 0) {
      await seen;
      await route.continue();
    } else if (status === undefined) await route.abort('connectionreset');
    else await route.fulfill({ status });
  });
  await click(page, /^Step A/);
  await expectText(page, /could not check this/);
  show();
  if (status !== undefined) await click(page, /^Try again$/);
  await expectText(page, /Goal reached/);
});

test('the source follows the buyer that moved last into its file, until a reader chooses another one, and stays at the line of the last step', async () => {
  const { page, messages } = await open('/step/v1.none..1.12.a2b3...bb2f4f');
  await page.getByRole('button', { name: /^Step A/ }).waitFor();
  await press(page, 'b');
  const shown = page.locator('.source-panel [aria-pressed="true"]');
  expect(await shown.textContent()).toMatch(/^read-modify-write\.ts/);
  expect(await page.locator('.source-panel .line-marked').count()).toBeGreaterThan(0);
  await page
    .locator('.source-panel')
    .getByRole('button', { name: /^none\.ts/ })
    .click();
  await press(page, 'a');
  expect(await shown.textContent()).toMatch(/^none\.ts/);
  await page
    .locator('.source-panel')
    .getByRole('button', { name: /^read-modify-write\.ts/ })
    .click();
  await press(page, 'z');
  await expectText(page, /Oversold/);
  expect(await page.locator('.source-panel .line-marked').count()).toBe(1);
  expect(messages).toEqual([]);
});

test('two files of one name are shown with their folders', async () => {
  const { page } = await open('/step');
  await page.getByLabel('Strategy').selectOption('redlock');
  await click(page, /^Begin/);
  const tab = (name: string): Promise<void> =>
    page.locator('.source-panel').getByRole('button', { name }).first().waitFor();
  await tab('strategies/redlock.ts');
  await tab('shared/redlock.ts');
  expect(
    await page
      .locator('.source-panel')
      .getByRole('button', { name: /^redlock\.ts/ })
      .count(),
  ).toBe(0);
});

test('a button that is not possible says why, and a key is as good as a click', async () => {
  const { page } = await open('/step');
  await page.getByLabel('Strategy').selectOption('for-update');
  await click(page, /^Begin/);
  await page.getByRole('button', { name: /^Step A/ }).waitFor();
  for (const key of ['a', 'a', 'b', 'b']) {
    const before = page.url();
    await page.keyboard.press(key);
    await page.waitForURL((url) => String(url) !== before);
  }
  await expectText(page, /waits for the row lock of A/);
});

test('an exploration of token-lua with one lapse ends with the shortest schedule, which opens in Step', async () => {
  const { page, messages } = await open('/explore');
  await page.getByLabel('Strategy').selectOption('token-lua');
  await click(page, /^Lease ends/);
  await click(page, /^Explore$/);
  await expectText(page, /Data wrong in \d+ of \d+ schedules/);
  await page.setViewportSize({ width: 390, height: 844 });
  const other = await page.locator('.witness-timeline .buyers .actor-B').boundingBox();
  expect((other?.x ?? 0) + (other?.width ?? 0)).toBeLessThanOrEqual(390);
  await page
    .getByRole('link', { name: /Open in Step/ })
    .first()
    .click();
  await expectText(page, /Oversold/);
  expect(page.url()).toContain('/step/v1.token-lua.');
  expect(messages).toEqual([]);
});

test('Back closes the evidence of a cell, and its address opens it', async () => {
  const { page, messages } = await open('/matrix');
  const { cell, dialog } = evidenceIn(page);
  await cell.click();
  await dialog.waitFor();
  const address = page.url();
  expect(address).toContain('?cell=expiring');
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  await cell.click();
  await click(page, /^Close/);
  await dialog.waitFor({ state: 'detached' });
  expect(page.url()).toBe(`${app.url}/matrix`);
  await page.goto(address);
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(messages).toEqual([]);
});

test('a cell of the matrix opens its witness', async () => {
  const { page, messages } = await open('/matrix');
  await page
    .getByRole('row', { name: /^expiring / })
    .getByRole('button')
    .nth(4)
    .click();
  await page
    .getByRole('link', { name: /Open in Step/ })
    .first()
    .click();
  await page.getByRole('button', { name: /^Step A/ }).waitFor();
  expect(page.url()).toContain('/step/v1.expiring.');
  expect(messages).toEqual([]);
});

test.each([
  ['/nosuchpage', '/run'],
  ['/run/doesnotexist', '/run'],
  ['/run/2001-01-01T00-00-00-000Z-none', '/run'],
  ['/explore/doesnotexist', '/explore'],
  ['/lessons/20', '/lessons'],
])('%s says that there is no such page, in words, with a link back', async (path, back) => {
  const { page } = await open(path);
  const alert = page.getByRole('alert');
  await alert.getByText('There is no such page.').waitFor();
  expect(await alert.getByRole('link').getAttribute('href')).toBe(back);
  expect(await page.getByText(/Invalid|must match/).count()).toBe(0);
  await page.context().close();
});

test('an address of Step that is no schedule says so, and offers a new schedule, but no retry', async () => {
  const { page } = await open('/step/v1.nosuch..1.12.a2...bb2f4f');
  const alert = page.getByRole('alert');
  await alert.getByRole('link', { name: 'Begin a new schedule' }).waitFor();
  expect(await alert.getByRole('button').count()).toBe(0);
  await page.context().close();
});

test('the catalogue says what a preset needs, and its link brings the preset into view and focuses it', async () => {
  const { page, messages } = await open('/catalogue/redlock');
  await page.getByRole('link', { name: /^redlock-voter-down needs redlock/ }).click();
  const preset = page.getByRole('button', { name: /^redlock-voter-down/ });
  await preset.waitFor();
  await page.locator('button:focus', { hasText: /^redlock-voter-down/ }).waitFor();
  const box = await preset.boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(page.viewportSize()?.height ?? 0);
  await preset.click({ force: true }); // it says why it is not possible, and starts nothing
  expect(new URL(page.url()).pathname).toBe('/run');
  expect(messages).toEqual([]);
});

test('an address of no view answers 404, to a program with a problem', async () => {
  const { status, json } = await app.get('/nosuchpage');
  expect([status, json['code']]).toEqual([404, 'REQUEST.NOT_FOUND']);
  expect((await app.get('/api/nosuch', { accept: 'text/html' })).json['code']).toBe('REQUEST.NOT_FOUND');
});

test('in Chinese, what presets show and what happens in a schedule is said in Chinese', async () => {
  const { page } = await open('/run', { locale: 'zh-CN' });
  const preset = page.getByRole('button', { name: /^setnx-killed/ });
  expect(await preset.textContent()).toContain('持有者被杀死：永远卡死');
  await page.goto(`${app.url}/step/v1.watchdog..1.12.a5P1Tab3a2b4...e58a75`);
  const timeline = page.locator('.timeline');
  await timeline.getByText('已买到（卖出一件：1 → 0）').first().waitFor();
  expect(await timeline.textContent()).toContain('p1 (A) 停顿');
  await page.context().close();
});

test('the Chinese page shows the evidence of a cell of the matrix in Chinese', async () => {
  const { page } = await open('/matrix?cell=none,two%20processes', { locale: 'zh-CN' });
  const dialog = page.getByRole('dialog');
  await dialog.getByText('没有什么把 B 和 A 隔开').waitFor();
  expect(await dialog.textContent()).not.toMatch(/\b(step|read|before|kept)\b/);
  await page.context().close();
});

test('the Chinese page shows the verdict of a load run, and how a unit was sold twice, in Chinese', async () => {
  const { page } = await open('/run', { locale: 'zh-CN' });
  await page
    .getByRole('button', { name: /^none\b/ })
    .first()
    .click();
  const verdict = page.locator('.verdict-large');
  await verdict.getByText('没有什么把这两个请求隔开').waitFor();
  expect(await verdict.textContent()).not.toMatch(/\b(read|committed|sold|apart)\b/);
  await page.context().close();
});

test('the Chinese catalogue says how a strategy works, finds it by a Chinese word, and keeps the word for Back', async () => {
  const { page } = await open('/catalogue', { locale: 'zh-CN' });
  await page.getByRole('searchbox').fill('递增的栅栏令牌');
  const first = page.locator('.strategies li').first();
  await first.getByText('锁发出递增的栅栏令牌').waitFor();
  expect(await first.textContent()).toContain('fenced-write');
  await first.getByRole('link').click();
  await page.getByText('新的持有者写入之后，过期的写入才会被拒绝').waitFor();
  await page.goBack();
  await first.waitFor();
  expect(await page.getByRole('searchbox').inputValue()).toBe('递增的栅栏令牌');
  await page.getByRole('searchbox').fill('nosuch');
  await page.getByText('没有与 "nosuch" 相符的方案。').waitFor();
  await page.context().close();
});

test('the Chinese page says in Chinese that a fault never fired', async () => {
  const { page } = await open('/explore?strategy=for-update&faults=lapse:1', { locale: 'zh-CN' });
  await page.getByRole('button', { name: '开始穷举' }).click();
  const verdict = page.locator('.verdict');
  await verdict.getByText('故障“锁过期”（lapse）从未发生').waitFor();
  expect(await verdict.textContent()).not.toContain('never happened');
  await page.context().close();
});

test('the language of the address is used, until another one is chosen', async () => {
  const { page } = await open('/lessons?lang=zh');
  await page.getByRole('heading', { name: '课程' }).first().waitFor();
  await page.getByRole('combobox').first().selectOption('en');
  await page.reload();
  expect(await page.getByRole('heading', { level: 1 }).first().textContent()).toBe('Lessons');
  await page.context().close();
});

describe('no page has a serious accessibility violation, or a message in the console', () => {
  test.each([
    ['/run', {}],
    ['/step', {}],
    ['/step/v1.expiring..1.12.aLba6...92fe3b', {}],
    ['/step/v1.expiring..1.12.aLba6...92fe3b', { colorScheme: 'dark', locale: 'zh-CN' }],
    ['/explore', {}],
    ['/matrix', { colorScheme: 'dark' }],
    ['/catalogue', {}],
    ['/catalogue/watchdog', { colorScheme: 'dark' }],
    ['/lessons', { viewport: { width: 390, height: 844 } }],
    ['/class', {}],
  ] as const)('%s %j', async (path, options) => {
    const { page, messages } = await open(path, { ...options, bypassCSP: true });
    await page.waitForLoadState('networkidle').catch(() => undefined);
    expect(await inaccessible(page)).toEqual([]);
    expect(messages).toEqual([]);
    await page.context().close();
  });
});

test('five browsers of a class reach a goal, each under its name, and the board shows them', async () => {
  const classroom = await ConsoleProcess.start({ lab: shop().dir, isClass: true });
  try {
    const { code = '', teacherCode = '' } = classroom.started;
    const join = async (name: string, as: string): Promise<Page> => {
      const { page } = await openPage(browser, `${classroom.url}/lessons`);
      await page.getByLabel(/code/i).fill(as);
      await page.getByLabel(/name/i).fill(name);
      await click(page, /^Join/);
      await page.getByRole('navigation').first().waitFor();
      return page;
    };
    const teacher = await join('teacher', teacherCode);
    const students = await Promise.all(['ann', 'bob', 'cho', 'dan', 'eve'].map((name) => join(name, code)));
    await Promise.all(
      students.map(async (page) => {
        await page.goto(`${classroom.url}/step/v1.none..1.12.a2b5a2...bb2f4f`);
        await click(page, /^Step A/);
        await expectText(page, /Goal reached/);
      }),
    );
    await teacher.goto(`${classroom.url}/lessons`);
    await expectText(teacher, /^5 of 5$/);
    await teacher.getByText(/^5 students$/).click();
    for (const name of ['ann', 'bob', 'cho', 'dan', 'eve'])
      await expectText(teacher, new RegExp(`^${name}$`));
    await click(teacher, /^Remove: ann/);
    await teacher.getByRole('button', { name: /^Remove: ann/ }).waitFor({ state: 'detached' });
    // its open page shows the form; it knows that it has reached the goal, and sends its proof again
    const [ann] = students;
    await ann?.getByLabel(/code/i).fill(code);
    await ann?.getByLabel(/name/i).fill('ann');
    if (ann !== undefined) await click(ann, /^Join/);
    await teacher
      .getByRole('listitem')
      .filter({ hasText: /^ann1\/\d+/ })
      .waitFor();
    await teacher.goto(`${classroom.url}/class?goal=oversell`);
    for (const text of [code, '5 students', '5 of 5 have reached it'])
      await expectText(teacher, new RegExp(`^${text}$`));
    for (let i = 10; i < 65; i++)
      await classroom.post('/api/classroom/join', { code, name: `Maximiliano Herr ${i}` });
    await expectText(teacher, /^60 students$/);
    expect(await teacher.evaluate('document.documentElement.scrollHeight')).toBe(720);
  } finally {
    await classroom.stop();
  }
});

/** The teacher removes a student. */
async function remove(classroom: ConsoleProcess, name: string): Promise<void> {
  const { headers } = await classroom.post('/api/classroom/join', {
    code: classroom.started.teacherCode,
    name: 'teacher',
  });
  const cookie = { cookie: String(headers['set-cookie']).split(';')[0] ?? '' };
  const { json } = await classroom.get<{ rows: { id: string; name: string }[] }>(
    '/api/classroom/board',
    cookie,
  );
  const id = json.rows.find((row) => row.name === name)?.id ?? '';
  expect((await classroom.send('DELETE', `/api/classroom/members/${id}`, undefined, cookie)).status).toBe(
    200,
  );
}

test('students who use one browser one after the other have goals of their own, and the form says why it is shown again', async () => {
  const classroom = await ConsoleProcess.start({ lab: shop().dir, isClass: true });
  try {
    const { page } = await openPage(browser, `${classroom.url}/lessons`);
    const joinAs = async (name: string): Promise<void> => {
      await page.getByLabel(/code/i).fill(classroom.started.code ?? '');
      await page.getByLabel(/name/i).fill(name);
      await click(page, /^Join/);
    };
    const returnToForm = async (): Promise<void> => {
      await page.context().clearCookies();
      await page.goto(`${classroom.url}/lessons`);
      await page.getByLabel(/code/i).waitFor();
    };
    const reason = /The console was restarted, .* join again as ann/;
    await page.getByLabel(/code/i).waitFor();
    expect(await page.getByText(reason).count()).toBe(0);
    await joinAs('ann');
    await page.getByRole('progressbar').first().waitFor();
    await page.goto(`${classroom.url}/step/v1.none..1.12.a2b5a2...bb2f4f`);
    await click(page, /^Step A/);
    await expectText(page, /Goal reached/);
    await returnToForm();
    await expectText(page, reason);
    expect(await page.getByLabel(/name/i).inputValue()).toBe('ann');
    await joinAs('bob');
    await expectText(page, /^0 of \d+ goals reached$/);
    await remove(classroom, 'ann');
    await returnToForm();
    await joinAs('ann');
    await expectText(page, /^1 of \d+ goals reached$/);
  } finally {
    await classroom.stop();
  }
});

test('after a student joins in one tab, the form of its other tab is replaced by the page, and no request was refused', async () => {
  const classroom = await ConsoleProcess.start({ lab: shop().dir, isClass: true });
  try {
    const { page: first, messages } = await openPage(browser, `${classroom.url}/lessons`);
    const second = await first.context().newPage();
    await second.goto(`${classroom.url}/lessons`);
    await second.getByLabel(/code/i).waitFor();
    await first.getByLabel(/code/i).fill(classroom.started.code ?? '');
    await first.getByLabel(/name/i).fill('ann');
    await click(first, /^Join/);
    await expectText(second, /Reach each goal yourself/);
    await expectText(first, /^lab running$/);
    expect(messages).toEqual([]);
  } finally {
    await classroom.stop();
  }
});

test('a student of a class sees why a preset with a fault cannot be started, and a refusal in Chinese', async () => {
  const classroom = await ConsoleProcess.start({ lab: shop().dir, isClass: true });
  try {
    const { page } = await openPage(browser, `${classroom.url}/run?lang=zh`);
    const join = async (code: string): Promise<void> => {
      await page.getByLabel('课堂码').fill(code);
      await page.getByLabel('你的名字').fill('ann');
      await click(page, /^加入/);
    };
    await join('WRONG1');
    await expectText(page, /^课堂码不对：请输入老师展示的课堂码。$/);
    await join(classroom.started.code ?? '');
    await page.getByText('更多场景').click();
    const killed = page.getByRole('button', { name: /^setnx-killed / });
    expect([await killed.isDisabled(), await killed.getAttribute('title')]).toEqual([
      true,
      '仅限老师：它的故障会影响大家共用的实例',
    ]);
    expect(
      await page
        .getByRole('button', { name: /^none\b/ })
        .first()
        .isDisabled(),
    ).toBe(false);
  } finally {
    await classroom.stop();
  }
});

test('the script of the page has at most 300 KB, compressed', () => {
  const assets = resolve('dist', 'web', 'assets');
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const sizes = scripts.map((name) => gzipSync(readFileSync(join(assets, name))).length);
  expect(scripts.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(300_000);
});
