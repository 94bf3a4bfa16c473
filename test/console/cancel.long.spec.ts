import type { Browser, Page } from 'playwright-core';
import { openBrowser, openPage } from './browser';
import { ConsoleProcess } from './support';

type Cookie = Readonly<Record<string, string>>;

let app: ConsoleProcess;
let browser: Browser;
beforeEach(async () => {
  app = await ConsoleProcess.start({ isClass: true });
  browser = await openBrowser();
});
afterEach(async () => {
  await browser.close();
  await app.stop();
});

async function join(name: string, code = app.started.code): Promise<Cookie> {
  const { headers } = await app.post('/api/classroom/join', { code, name });
  return { cookie: String(headers['set-cookie']).split(';')[0] ?? '' };
}

/** Begins an exploration, and returns its id. */
const explore = async (who: Cookie, body: object): Promise<string> =>
  (await app.post<{ job: { id: string } }>('/api/explorations', body, who)).json.job.id;

/** For a teacher: it lasts longer than a test. */
const LONG = { strategy: 'watchdog', actors: '123', faults: 'pause:1', seconds: 600 };

const jobOf = async (id: string, who: Cookie): Promise<{ state: string; cancelledBecause?: string }> =>
  (await app.get<{ job: { state: string } }>(`/api/explorations/${id}`, who)).json.job;

/** A page of a member that joins in the browser. */
async function pageOf(name: string, path: string, code = app.started.code ?? ''): Promise<Page> {
  const { page } = await openPage(browser, `${app.url}${path}`);
  await page.getByRole('textbox').first().fill(code);
  await page.getByRole('textbox').last().fill(name);
  await page.locator('form.join button').click();
  return page;
}

test('a student that cancels the job of another student reads why the console refuses it, in the language of the page', async () => {
  const [teacher, bob] = [await join('teacher', app.started.teacherCode), await join('bob')];
  await explore(teacher, LONG); // the job of bob waits behind it
  const id = await explore(bob, { strategy: 'none' });
  for (const [lang, name, button, refusal] of [
    ['en', 'ann', 'Cancel', 'only bob and the teacher can cancel this'],
    ['zh', 'eve', '取消', '只有发起者和老师可以取消这个任务。'],
  ] as const) {
    const page = await pageOf(name, `/explore/${id}?lang=${lang}`);
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('alert').filter({ hasText: refusal }).waitFor();
  }
  expect((await jobOf(id, bob)).state).toBe('queued');
});

test('the teacher cancels the jobs of all after a confirmation; a student cannot', async () => {
  const [teacher, ann] = [await join('teacher', app.started.teacherCode), await join('ann')];
  const running = await explore(teacher, LONG);
  const waiting = await explore(ann, { strategy: 'none' });
  expect(await app.send('DELETE', '/api/jobs', undefined, ann)).toMatchObject({
    status: 403,
    json: { code: 'ACCESS.TEACHER_ONLY', errors: { reason: 'cancel' } },
  });
  const page = await pageOf('teacher', '/run', app.started.teacherCode);
  await page.getByRole('button', { name: 'Cancel all' }).click();
  await page.getByRole('button', { name: 'Keep' }).click();
  expect((await jobOf(waiting, ann)).state).toBe('queued');
  await page.getByRole('button', { name: 'Cancel all' }).click();
  await page.getByRole('button', { name: 'Cancel 2 jobs' }).click();
  await page.getByRole('heading', { name: 'Now' }).waitFor({ state: 'detached' });
  expect(await jobOf(running, ann)).toMatchObject({ state: 'cancelled', cancelledBecause: 'request' });
  expect(await jobOf(waiting, ann)).toMatchObject({ state: 'cancelled', cancelledBecause: 'teacher' });
  const student = await pageOf('eve', '/run');
  await student.getByRole('heading', { name: 'Past runs' }).waitFor();
  expect(await student.getByRole('button', { name: 'Cancel all' }).count()).toBe(0);
});
