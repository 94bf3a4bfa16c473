import { openBrowser, openPage } from './browser';
import { ConsoleProcess } from './support';

test('a student that cancels the job of another student reads why the console refuses it, in the language of the page', async () => {
  const app = await ConsoleProcess.start({ isClass: true });
  const browser = await openBrowser();
  try {
    const { code = '', teacherCode = '' } = app.started;
    const join = async (name: string, own = code): Promise<Record<string, string>> => {
      const { headers } = await app.post('/api/classroom/join', { code: own, name });
      return { cookie: String(headers['set-cookie']).split(';')[0] ?? '' };
    };
    const explore = async (who: Record<string, string>, body: object): Promise<string> =>
      (await app.post<{ job: { id: string } }>('/api/explorations', body, who)).json.job.id;
    const [teacher, bob] = [await join('teacher', teacherCode), await join('bob')];
    // the job of bob waits behind this one, which lasts longer than the test
    await explore(teacher, { strategy: 'watchdog', actors: '123', faults: 'pause:1', seconds: 600 });
    const id = await explore(bob, { strategy: 'none' });
    for (const [lang, name, button, refusal] of [
      ['en', 'ann', 'Cancel', 'only bob and the teacher can cancel this'],
      ['zh', 'eve', '取消', '只有发起者和老师可以取消这个任务。'],
    ] as const) {
      const { page } = await openPage(browser, `${app.url}/explore/${id}?lang=${lang}`);
      await page.getByRole('textbox').first().fill(code);
      await page.getByRole('textbox').last().fill(name);
      await page.locator('form.join button').click();
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('alert').filter({ hasText: refusal }).waitFor();
    }
    const { json } = await app.get<{ job: { state: string } }>(`/api/explorations/${id}`, bob);
    expect(json.job.state).toBe('queued');
  } finally {
    await browser.close();
    await app.stop();
  }
});
