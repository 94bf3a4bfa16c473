import { readLessons } from '#lab/course';
import { request } from 'undici';
import { ConsoleProcess } from './support';

let app: ConsoleProcess;
beforeAll(async () => {
  app = await ConsoleProcess.start();
});
afterAll(() => app.stop());

test.each(['en', 'zh'] as const)('%s: the list has every lesson, in order', async (lang) => {
  const { json } = await app.get<{ id: string; title: string }[]>(`/api/lessons?lang=${lang}`);
  expect(json.map(({ id, title }) => [id, title])).toEqual(
    readLessons(lang).map(({ id, title }) => [id, title]),
  );
});

test('a lesson is HTML; its commands lead to Step and Explore', async () => {
  const { json } = await app.get<{ html: string }>('/api/lessons/04-expiry?lang=zh');
  expect(json.html).toContain('<details><summary>答案</summary>');
  expect(json.html).toContain('href="/explore?strategy=expiring&amp;actors=12&amp;faults=lapse%3A1"');
  expect(json.html).toMatch(/href="\/step\/v1\.expiring[^"]*">在单步中打开/);
});

test('a line break between Chinese characters is no space', async () => {
  const { json } = await app.get<{ html: string }>('/api/lessons/17-other-uses?lang=zh');
  expect(json.html).toContain('经常用在没法对账的事情上：短信发出去了');
  expect(json.html).not.toMatch(/[，。：；、）]\n[\u4e00-\u9fff]/);
});

test('no lesson leads to a relative address that the console does not have', async () => {
  for (const { id } of readLessons('en')) {
    const { json } = await app.get<{ html: string }>(`/api/lessons/${id}`);
    const links = [...json.html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    const slides = links.filter((href) => href.startsWith('/api/'));
    expect(links.filter((href) => !/^(https?:|#|\/(step|explore|lessons|api)\b)/.test(href))).toEqual([]);
    expect(slides).toEqual(slides.map((_, i) => `/api/lessons/${id}/slides/${i + 1}?lang=en`));
    expect(slides).not.toEqual([]);
    expect(json.html.match(/target="_blank"/g)).toHaveLength(slides.length);
  }
});

test.each(['en', 'zh'] as const)('%s: a slide is an image in this language', async (lang) => {
  const answer = await request(`${app.url}/api/lessons/04-expiry/slides/1?lang=${lang}`);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  const image = await answer.body.text();
  expect(image).toMatch(new RegExp(`^<svg [^>]*xml:lang="${lang}"[^>]* viewBox="0 0 1600 900"`));
  expect(image).not.toMatch(/^<svg [^>]*\b(width|height)=/); // the browser fits it into its window
});

test.each([
  '/api/lessons/99-nothing',
  '/api/lessons/04-expiry/slides/9',
  '/api/lessons/04-expiry?lang=de',
  '/api/lessons/..%2F..',
])('%s is refused with a problem', async (path) => {
  const { status, json } = await app.get<{ code: string }>(path);
  expect([400, 404]).toContain(status);
  expect(json.code).toMatch(/^REQUEST\./);
});
