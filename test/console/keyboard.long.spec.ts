import type { Browser, Locator, Page } from 'playwright-core';
import { evidenceIn, openBrowser, openPage, type OpenPage } from './browser';
import { ConsoleProcess } from './support';

let app: ConsoleProcess;
let browser: Browser;
beforeAll(async () => {
  app = await ConsoleProcess.start();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.stop();
});

const open = (path: string, options?: Parameters<typeof openPage>[2]): Promise<OpenPage> =>
  openPage(browser, `${app.url}${path}`, { bypassCSP: true, ...options }); // the functions of the test
const hasFocus = async (element: Locator): Promise<boolean> =>
  (await element.and(element.page().locator(':focus')).count()) === 1;
const waitForFocus = (page: Page, selector: string): Promise<unknown> =>
  page.waitForFunction(`document.activeElement.matches(${JSON.stringify(selector)})`);
const titled = (page: Page, title: string): Promise<unknown> =>
  page.waitForFunction(`document.title === ${JSON.stringify(title)}`);

test('the title names the page, and the strategy or lesson that it shows, in both languages', async () => {
  const { page } = await open('/step');
  await titled(page, 'Step · Oversell Lab');
  await page.getByLabel('Strategy').selectOption('expiring');
  await page.getByRole('button', { name: /^Begin/ }).click();
  await titled(page, 'expiring · Step · Oversell Lab');
  await page.getByRole('button', { name: /^Step A/ }).click();
  await page.waitForURL(/a/);
  await titled(page, 'expiring · Step · Oversell Lab');
  await page.getByRole('link', { name: 'Catalogue' }).click();
  await titled(page, 'Catalogue · Oversell Lab');
  await page
    .getByRole('link', { name: /^setnx\b/ })
    .first()
    .click();
  await titled(page, 'setnx · Catalogue · Oversell Lab');
  await page.goto(`${app.url}/lessons/04-expiry?lang=zh`);
  await page.waitForFunction(`/^\\S.* · 课程 · /.test(document.title)`);
  expect(await page.title()).toMatch(/^\S.* · 课程 · 超卖实验室$/);
  await page.context().close();
});

test('a page that is reached inside the console has the focus on its heading; the first one does not', async () => {
  const { page, messages } = await open('/');
  const heading = page.getByRole('heading', { level: 1 });
  await heading.waitFor();
  expect(await hasFocus(heading)).toBe(false);
  for (const name of ['Lessons', 'Catalogue']) {
    await page.getByRole('link', { name }).first().click();
    await waitForFocus(page, 'h1');
  }
  await page
    .getByRole('link', { name: /^setnx\b/ })
    .first()
    .click();
  await waitForFocus(page, 'h1');
  await page.goBack();
  await waitForFocus(page, 'h1');
  expect(messages).toEqual([]);
  await page.context().close();
});

test('a choice in a schedule leaves the focus where it is', async () => {
  const { page } = await open('/step');
  await page.getByRole('button', { name: /^Begin/ }).click();
  await waitForFocus(page, '.board-head h1');
  const step = page.getByRole('button', { name: /^Step A/ });
  await step.click();
  await page.waitForURL(/\.a1?\./);
  await page.locator('[data-event]').first().waitFor();
  expect(await hasFocus(step)).toBe(true);
  await page.context().close();
});

test('a key makes its choice as soon as the heading of a schedule has the focus', async () => {
  const { page } = await open('/step');
  // inside of the event, as a key can come that is pressed before the browser runs another task
  await page.evaluate(`document.addEventListener('focusin', ({ target }) => {
    if (target.matches('.board-head h1'))
      target.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true }));
  })`);
  await page.getByRole('button', { name: /^Begin/ }).click();
  await page.waitForURL(/\.a1?\./);
  expect(await hasFocus(page.locator('.board-head h1'))).toBe(true);
  await page.context().close();
});

test('a button of a schedule keeps the focus when nothing is left to do with it, and the keys work on', async () => {
  const { page } = await open('/step');
  await page.getByRole('button', { name: /^Begin/ }).click();
  const button = (name: RegExp, isDisabled: boolean): Locator =>
    page.getByRole('button', { name }).and(page.locator(`[aria-disabled=${isDisabled}]`));
  await waitForFocus(page, '.board-head h1');
  await page.keyboard.press('a');
  await button(/^Undo/, false).press('Enter');
  await button(/^Undo/, true).waitFor();
  expect(await hasFocus(button(/^Undo/, true))).toBe(true);
  await button(/^Finish/, false).press('Enter');
  await button(/^Finish/, true).waitFor();
  expect(await hasFocus(button(/^Finish/, true))).toBe(true);
  await page.keyboard.press('r');
  await button(/^Finish/, false).waitFor();
  await page.context().close();
});

test('the evidence of a cell returns the focus to its cell, also when Back closes it', async () => {
  const { page, messages } = await open('/matrix');
  const { cell, dialog } = evidenceIn(page);
  for (const leave of ['Back', 'Close', 'Escape', 'Back']) {
    await cell.press('Enter');
    await dialog.waitFor();
    expect(await hasFocus(cell)).toBe(false);
    if (leave === 'Back') await page.goBack();
    else if (leave === 'Escape') await page.keyboard.press(leave);
    else await page.getByRole('button', { name: leave }).click();
    await dialog.waitFor({ state: 'detached' });
    expect([leave, await hasFocus(cell), page.url()]).toEqual([leave, true, `${app.url}/matrix`]);
  }
  expect(messages).toEqual([]);
  await page.context().close();
});

test('the progress is deleted after a confirmation, which has the focus; Escape and Keep delete nothing', async () => {
  const { page } = await open('/lessons');
  await page.evaluate("localStorage.setItem('goals', 'oversell stuck')");
  await page.reload();
  const opener = page.getByRole('button', { name: 'Delete my progress' });
  const confirm = page.getByRole('button', { name: 'Delete 2 goals' });
  const goals = (): Promise<unknown> => page.evaluate("localStorage.getItem('goals')");
  for (const leave of ['Escape', 'Keep']) {
    await opener.click();
    await confirm.waitFor();
    expect(await hasFocus(confirm)).toBe(true);
    if (leave === 'Escape') await page.keyboard.press(leave);
    else await page.getByRole('button', { name: leave }).click();
    await confirm.waitFor({ state: 'detached' });
    expect([await hasFocus(opener), await goals()]).toEqual([true, 'oversell stuck']);
  }
  await opener.press('Enter');
  await confirm.press('Enter');
  await confirm.waitFor({ state: 'detached' });
  expect([await hasFocus(opener), await goals()]).toEqual([true, '']);
  await opener.press('Enter'); // nothing is left to delete
  expect(await page.getByRole('button', { name: 'Keep' }).count()).toBe(0);
  await page.context().close();
});

test('with Shift+Tab no cell of the matrix is under its header or its first column', async () => {
  const { page } = await open('/matrix');
  await page.getByRole('button', { name: 'Show all' }).click();
  const cells = page.locator('.cell');
  await cells.first().waitFor();
  const columns = await page.locator('.matrix thead th').count();
  await cells.nth(columns * 14).focus();
  for (let i = 0; i < columns * 6; i++) {
    await page.keyboard.press('Shift+Tab');
    const hidden = await page.evaluate(`(() => {
      const cell = document.activeElement.closest('td')?.getBoundingClientRect();
      const corner = document.querySelector('.matrix thead th').getBoundingClientRect();
      return cell !== undefined && (cell.top < corner.bottom - 1 || cell.left < corner.right - 1);
    })()`);
    expect(hidden).toBe(false);
  }
  await page.context().close();
});

test('Escape closes the other faults of Step and focuses their button; all of them are visible in a window of 1280 × 720', async () => {
  const { page } = await open('/step');
  await page.getByLabel('Strategy').selectOption('watchdog');
  await page.getByRole('button', { name: /^Begin/ }).click();
  const more = page.getByRole('button', { name: 'More…' });
  await more.click();
  const panel = page.locator('.faults-more');
  await panel.waitFor();
  const hidden = await page.evaluate(`(() => {
    const panel = document.querySelector('.faults-more');
    return panel.scrollHeight - panel.clientHeight;
  })()`);
  expect(hidden).toBe(0);
  await panel.getByRole('button').first().focus();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(await hasFocus(more)).toBe(true);
  await page.context().close();
});
