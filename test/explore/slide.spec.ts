import { LANGUAGES, type Language } from '#lab/verdict';
import { readLessons } from '#lab/course';
import { drawSlide, readToken, replay, type World } from '#lab/explore';
import { drawSchedule, readSchedules, schedulesOf } from '../../apps/lab/src/lesson-slides';
import { CATALOGUE, componentsOf } from '#lab/strategy';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';
import { elementsOf, widthOf, type XmlElement } from './xml';

jest.setTimeout(EXPLORATION_MS);

const folderOf = (language: Language): string => `walkthroughs/${language}/img`;

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, [...componentsOf(CATALOGUE), 'gateway']);
});
afterAll(() => world.close());

const LABELS = {
  command: 'npx lab replay v1.a <&> "b"',
  credit: 'Oversell Lab, CC BY 4.0',
  language: 'en',
} as const;
const schedules = schedulesOf(readLessons('en'));

function tokenOf(slide: string): string {
  const found = schedules.find(({ file }) => file === slide);
  if (found === undefined) throw new Error(`no lesson has the slide ${slide}`);
  return found.token;
}

function found(elements: readonly XmlElement[], start: string): XmlElement {
  const element = elements.find(({ text }) => text.startsWith(start));
  if (element === undefined) throw new Error(`nothing begins with "${start}"`);
  return element;
}

const eventsOf = (elements: readonly XmlElement[]): XmlElement[] =>
  elements.filter(({ attributes }) => 'data-event' in attributes);
const number = ({ attributes }: XmlElement, name: string): number => Number(attributes[name]);

/** What must hold for every slide. */
function expectReadable(svg: string, actors: number): XmlElement[] {
  const elements = elementsOf(svg);
  const [root] = elements;
  expect(root?.attributes['viewBox']).toBe('0 0 1600 900');
  for (const line of elements.filter(({ name }) => name === 'text')) {
    const width = widthOf(line.text, number(line, 'font-size'));
    const right = number(line, 'x') + (line.attributes['text-anchor'] === 'end' ? 0 : width);
    expect({ text: line.text, isInside: right <= 1600 }).toEqual({ text: line.text, isInside: true });
    expect(number(line, 'font-size')).toBeGreaterThanOrEqual(11);
  }
  // the text of a step ends before the next lane begins; the lines of the lanes are the narrowest rectangles
  const lanes = elements
    .filter(({ name, attributes }) => name === 'rect' && attributes['width'] === '2')
    .map((one) => number(one, 'x'));
  expect(lanes.length % actors).toBe(0);
  for (const line of eventsOf(elements).filter(({ text }) => !text.startsWith('··'))) {
    const next = Math.min(...lanes.filter((x) => x > number(line, 'x')), 1600 - 40);
    const right = number(line, 'x') + widthOf(line.text, number(line, 'font-size'));
    expect({ text: line.text, isInLane: right <= next }).toEqual({ text: line.text, isInLane: true });
  }
  return elements;
}

test('a slide shows each event once, in the lane of its actor, and ends with verdict, command and license', async () => {
  const { history, verdict } = await replay(world, readToken(tokenOf('04-expiry-1.svg')));
  const elements = expectReadable(drawSlide(history, verdict, LABELS), 2);
  const events = eventsOf(elements);
  expect(events.map((one) => number(one, 'data-event'))).toEqual(history.events.map(({ n }) => n));
  const xOf = (start: string): number => number(found(events, start), 'x');
  expect(xOf('SET lock:expiring')).toBeLessThan(200);
  expect(xOf('■ STOCK.SOLD_OUT')).toBeGreaterThan(800);
  const texts = elements.map(({ text }) => text);
  expect(texts).toContain("·· A's lease ends  ← lock expired");
  expect(texts).toContain("DEL lock:expiring ⇒ 1  ← ✗ B's lock is gone");
  expect(texts).toContain('! LOCK BROKEN, DATA RIGHT: foreign-release');
  expect(texts.slice(-2)).toEqual([LABELS.command, LABELS.credit]);
});

test('many events fill two panels, and three actors three lanes', async () => {
  const three = await replay(world, readToken(tokenOf('07-waiting-2.svg')));
  const wide = expectReadable(drawSlide(three.history, three.verdict, LABELS), 3);
  expect(eventsOf(wide)).toHaveLength(three.history.events.length);
  const long = await replay(world, readToken(tokenOf('10-redlock-1.svg')));
  const panels = expectReadable(drawSlide(long.history, long.verdict, LABELS), 2);
  expect(panels.filter(({ text }) => text === 'A (p1)')).toHaveLength(2);
  expect(panels.filter(({ text }) => text.startsWith('✗ DATA WRONG: ')).map(({ name }) => name)).toContain(
    'text',
  );
});

/** Labels of a slide in Chinese: what is left of them without statements, replies, names and codes. */
function englishIn(elements: readonly XmlElement[]): string[] {
  const labels = elements.flatMap(({ name, attributes, text }) => {
    if (name !== 'text' || text.startsWith('npx lab ') || text === LABELS.credit) return [];
    const [words = '', remark = ''] = text.split('  ← ');
    return 'data-event' in attributes && !words.startsWith('·· ') ? [remark] : [text];
  });
  return labels.filter((label) =>
    /[a-z]{2,} [a-z]{2,}/.test(label.replace(/UPDATE [^：]*|\S+ lock:\S+/, '')),
  );
}

test.each(LANGUAGES)(
  '%s: each schedule of a lesson has its slide, and the lesson links to it',
  (language) => {
    const lessons = readLessons(language);
    const files = schedulesOf(lessons).map(({ file }) => file);
    expect(readdirSync(folderOf(language)).sort()).toEqual(files);
    for (const { id, text } of lessons) {
      const linked = [...text.matchAll(/\]\(img\/([^)]+)\)/g)].map(([, file]) => file);
      expect({ id, linked }).toEqual({ id, linked: files.filter((file) => file.startsWith(`${id}-`)) });
    }
    const index = readFileSync('walkthroughs/README.md', 'utf8');
    expect(files.filter((file) => !index.includes(`](${language}/img/${file})`))).toEqual([]);
  },
);

test.each(LANGUAGES)(
  '%s: the committed slides are up to date: npx lab lesson --lang LANGUAGE --slides walkthroughs/LANGUAGE/img',
  async (language) => {
    const { tokens, folder } = readSchedules(schedulesOf(readLessons(language)));
    const stale: string[] = [];
    for (const [schedule, token] of tokens) {
      const svg = await drawSchedule(world, schedule, token);
      const elements = expectReadable(svg, token.setup.processes.length);
      if (language === 'zh')
        expect({ file: schedule.file, english: englishIn(elements) }).toEqual({
          file: schedule.file,
          english: [],
        });
      if (svg !== readFileSync(`${folderOf(language)}/${schedule.file}`, 'utf8')) stale.push(schedule.file);
    }
    rmSync(folder, { recursive: true });
    expect(stale).toEqual([]);
  },
);
