import { doctor } from '#lab/stack';
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core';

/** A page of the console in Chromium, with what it wrote to the browser's console. */
export interface OpenPage {
  readonly page: Page;
  /** Messages, errors and failed requests. */
  readonly messages: readonly string[];
}

/** Debian's Chromium; `npm test` installs it. */
export async function openBrowser(): Promise<Browser> {
  const path = doctor().find(({ name }) => name === 'chromium')?.found?.path;
  if (path === undefined)
    throw new Error('there is no Chromium: apt-get install --no-install-recommends chromium');
  return chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 720 },
    locale: 'en-US',
    ...options,
  });
  const page = await context.newPage();
  const messages: string[] = [];
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => messages.push(`error: ${error.message}`));
  page.setDefaultTimeout(120_000);
  await page.goto(url);
  return { page, messages };
}

/** The serious and critical violations of the accessibility rules, each with the first element. */
export async function inaccessible(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axe.source }).catch(() => undefined);
  const results = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run()');
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}

/** A cell of the matrix of the strategies, and the dialog with its evidence. */
export const evidenceIn = (page: Page): { readonly cell: Locator; readonly dialog: Locator } => ({
  cell: page
    .getByRole('row', { name: /^expiring / })
    .getByRole('button')
    .nth(4),
  dialog: page.getByRole('dialog'),
});
