import { LANGUAGES } from '#lab/verdict';
import {
  afterAnswer,
  BrokenCardsFile,
  choose,
  CourseSyntaxError,
  dueDay,
  readCards,
  readLessons,
  readQuestions,
  readTopic,
  readTopics,
  runQuiz,
  wordsOf,
  writeCards,
  type Cards,
  type Question,
  type QuizResult,
} from '#lab/course';
import { userLocale } from '#lab/config';
import { readToken } from '#lab/explore';
import { Command } from 'commander';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { register } from '../../apps/lab/src/commands/interview';
import { Failure } from '../../apps/lab/src/failure';
import { chosenLanguage } from '../../apps/lab/src/language';
import { commandLine } from '../docs/command-line';
import { plain, printQuestion, printTopics } from '../../apps/lab/src/print/interview';
import { printLesson } from '../../apps/lab/src/print/lesson';
import { columnsOf, wrapWide } from '../../apps/lab/src/print/wrap-wide';

const PARTS_OF_ONE = [
  '**Short answer.** Short.',
  '**Full answer.** Full.\n\nMore.',
  '**Follow-ups.**\n\n- _One?_ Yes,\n  indeed.\n- *Two?* No.',
  '**Trap.** A trap.',
  '**Evidence.** `npx lab explore none` and [a page](../../../docs/matrix.md#none), `none`.',
];
const pageOf = (parts: readonly string[]): string => `# Title\n\n## 1. Why?\n\n${parts.join('\n\n')}\n`;
const readOne = (markdown: string) => readTopic('en', 'en/01-one.md', markdown);

describe('a page of questions', () => {
  test('is read into questions with all their parts', () => {
    expect(readOne(pageOf(PARTS_OF_ONE))).toEqual({
      name: 'one',
      title: 'Title',
      questions: [
        {
          number: 1,
          topic: 'one',
          question: 'Why?',
          short: 'Short.',
          full: 'Full.\n\nMore.',
          followUps: [
            { question: 'One?', answer: 'Yes, indeed.' },
            { question: 'Two?', answer: 'No.' },
          ],
          trap: 'A trap.',
          evidence: '`npx lab explore none` and [a page](../../../docs/matrix.md#none), `none`.',
          commands: ['npx lab explore none'],
        },
      ],
    });
  });

  test.each(['Short answer.', 'Full answer.', 'Follow-ups.', 'Trap.', 'Evidence.'])(
    'without **%s** is refused with its page and number',
    (label) => {
      const read = (): unknown =>
        readOne(pageOf(PARTS_OF_ONE.filter((part) => !part.startsWith(`**${label}**`))));
      expect(read).toThrow(CourseSyntaxError);
      expect(read).toThrow(`en/01-one.md, question 1: there is no paragraph that begins with **${label}**`);
    },
  );

  test.each([
    ['parts in another order', pageOf([...PARTS_OF_ONE].reverse()), 'the order of its parts'],
    ['a part without text', pageOf(PARTS_OF_ONE.with(3, '**Trap.**')), 'nothing follows **Trap.**'],
    ['follow-ups that are no list', pageOf(PARTS_OF_ONE.with(2, '**Follow-ups.** One?')), 'must be a list'],
    [
      'a follow-up without a question',
      pageOf(PARTS_OF_ONE.with(2, '**Follow-ups.**\n\n- One')),
      'must be - *Question?* answer',
    ],
    ['a question without a number', '# T\n\n## Why?\n', 'must begin with the number'],
    ['no question', '# T\n', 'no question'],
    ['no title', '## 1. Why?\n', 'no title'],
  ])('with %s is refused', (_, markdown, message) => {
    expect(() => readOne(markdown)).toThrow(message);
  });
});

/** What is spoken: words, and for Chinese every Han character. */
const spoken = {
  en: { most: 75, count: (short: string) => short.split(/\s+/).length },
  zh: { most: 150, count: (short: string) => (short.match(/\p{Script=Han}/gu) ?? []).length },
};
const linksOf = ({ evidence, full }: Question): string[] =>
  [...`${full} ${evidence}`.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

describe.each(LANGUAGES)('the pack in %s', (language) => {
  const questions = readQuestions(language);

  test('has at least 60 questions, most of them with a command', () => {
    expect(questions.length).toBeGreaterThanOrEqual(60);
    const withCommand = questions.filter(({ commands }) => commands.length > 0);
    expect(withCommand.length).toBeGreaterThanOrEqual((questions.length * 2) / 3);
    const bare = questions.filter((question) => question.commands.length + linksOf(question).length === 0);
    expect(bare).toEqual([]);
  });

  test('has short answers that take about 30 seconds', () => {
    const { most, count } = spoken[language];
    const long = questions
      .filter(({ short }) => count(short) > most)
      .map(({ number, short }) => `${number}: ${count(short)}`);
    expect(long).toEqual([]);
  });

  test('has two or three follow-ups for each question', () => {
    expect(questions.filter(({ followUps }) => followUps.length < 2 || followUps.length > 3)).toEqual([]);
  });

  test('links to pages and headings that exist', () => {
    const folder = join('walkthroughs', 'interview', language);
    const broken = questions.flatMap(linksOf).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = join(folder, path);
      if (!existsSync(target)) return true;
      const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)];
      return anchor !== undefined && !headings.some(([, heading = '']) => slug(heading) === anchor);
    });
    expect(broken).toEqual([]);
  });
});

test('both languages have the same topics, numbers, commands and links', () => {
  const [one, other] = LANGUAGES.map((language) =>
    readTopics(language).map(({ name, questions }) => ({
      name,
      questions: questions.map((question) => ({
        number: question.number,
        followUps: question.followUps.length,
        commands: question.commands,
        links: linksOf(question),
      })),
    })),
  );
  expect(one).toEqual(other);
});

describe('the evidence', () => {
  const commands = [...new Set(readQuestions('en').flatMap((question) => question.commands))];

  /** The command line of the lab, with actions that only accept what was parsed. */
  test('has commands that the lab accepts', () => {
    const refused = commands.flatMap((command) => {
      try {
        commandLine()(wordsOf(command).slice(2));
        return [];
      } catch (error) {
        return [`${command}: ${String(error)}`];
      }
    });
    expect(refused).toEqual([]);
  });

  test('has tokens that can be replayed', () => {
    const tokens = commands.flatMap((command) => /^npx lab replay (\S+)$/.exec(command)?.[1] ?? []);
    expect(tokens.length).toBeGreaterThan(3);
    const matrix = readFileSync('docs/matrix.md', 'utf8');
    for (const token of tokens) {
      expect(readToken(token).setup.strategy.name).toBe(token.split('.')[1]);
      expect(matrix).toContain(`\`${token}\``);
    }
  });
});

describe('spaced repetition', () => {
  const cards: Cards = {
    1: { box: 2, answered: '2026-11-20' },
    2: { box: 5, answered: '2026-11-20' },
    3: { box: 1, answered: '2026-11-23' },
  };
  const questions = [1, 2, 3, 4, 5].map((number) => ({ number }));
  const chosen = (today: string, count = 9): number[] =>
    choose(questions, cards, today, count).map(({ number }) => number);

  test('a known question moves up to the fifth box and is asked after 0, 1, 3, 7 and 14 days', () => {
    let card = afterAnswer(undefined, 'no', '2026-02-27');
    const days = [dueDay(card)];
    for (let i = 0; i < 5; i++) {
      card = afterAnswer(card, 'knew', '2026-02-27');
      days.push(dueDay(card));
    }
    expect(days).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-02',
      '2026-03-06',
      '2026-03-13',
      '2026-03-13',
    ]);
  });

  test('a question that was known in part stays in its box; one that was not known returns to the first', () => {
    expect(afterAnswer({ box: 4, answered: '2026-11-20' }, 'partly', '2026-11-23').box).toBe(4);
    expect(afterAnswer({ box: 4, answered: '2026-11-20' }, 'no', '2026-11-23').box).toBe(1);
  });

  test('due questions come first, the longest due before the others, and then new ones', () => {
    expect(chosen('2026-11-20')).toEqual([4, 5]);
    expect(chosen('2026-11-24')).toEqual([1, 3, 4, 5]);
    expect(chosen('2026-12-04')).toEqual([1, 3, 2, 4, 5]);
    expect(chosen('2026-12-04', 2)).toEqual([1, 3]);
  });
});

test('questions that were answered today and are due again come after the new ones', () => {
  const questions = [1, 2, 3, 4].map((number) => ({ number }));
  const cards: Cards = {
    1: { box: 1, answered: '2026-11-23' },
    2: { box: 1, answered: '2026-11-22' },
    3: { box: 2, answered: '2026-11-23' },
  };
  expect(choose(questions, cards, '2026-11-23', 9).map(({ number }) => number)).toEqual([2, 4, 1]);
});

describe('the file of answered questions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interview-'));
  const file = join(folder, 'deep', 'interview.json');
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('keeps the cards, and leaves no draft behind', () => {
    expect(readCards(file)).toEqual({});
    const cards = { 12: { box: 3, answered: '2026-11-23' } };
    writeCards(file, cards);
    expect(readCards(file)).toEqual(cards);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['interview.json']);
  });

  test.each([
    '',
    '{',
    '[]',
    '{"version":1,"cards":{"1":{"box":6,"answered":"2026-11-23"}}}',
    '{"version":2}',
  ])('is refused and left as it is when it contains %j', (content) => {
    writeFileSync(file, content);
    expect(() => readCards(file)).toThrow(BrokenCardsFile);
    expect(() => readCards(file)).toThrow(/^[^\n]+$/);
    expect(readFileSync(file, 'utf8')).toBe(content);
  });
});

describe('the quiz', () => {
  const questions = readQuestions('en');
  const day = (date: string) => () => new Date(`${date}T12:00:00`);

  async function play(
    input: Readable,
    { cards = {}, today = '2026-11-23', count = 10 } = {},
  ): Promise<{ result: QuizResult; saved: Cards[]; printed: string }> {
    const output = new PassThrough();
    const saved: Cards[] = [];
    const result = await runQuiz({
      language: 'en',
      questions,
      load: () => saved.at(-1) ?? cards,
      count,
      now: day(today),
      save: (next) => saved.push(next),
      input,
      output,
      terminal: false,
      show: plain,
    });
    output.end();
    return { result, saved, printed: await text(output) };
  }

  test('asks, shows the short answer, trap and evidence, and files each question by its assessment', async () => {
    const { result, saved, printed } = await play(Readable.from(['a race\n1\n\n2\nno idea\nmaybe\n3\n']), {
      count: 3,
    });
    expect(result).toEqual({ asked: 3, answers: { knew: 1, partly: 1, no: 1 }, interrupted: false });
    expect(saved).toHaveLength(3);
    expect(saved.at(-1)).toEqual({
      1: { box: 2, answered: '2026-11-23' },
      2: { box: 1, answered: '2026-11-23' },
      3: { box: 1, answered: '2026-11-23' },
    });
    expect(printed).toContain('3 questions: 0 due, 3 new.');
    const [first] = questions;
    for (const part of [first?.short, first?.trap, first?.evidence])
      expect(printed).toContain(plain(part ?? 'missing'));
    expect(printed).not.toContain(plain(first?.full ?? 'missing'));
    expect(printed).toContain('Type 1, 2 or 3.');
    expect(printed).toContain('Asked again on 2026-11-24.');
    expect(printed).toContain('3 answered: 1 known, 1 partly, 1 not known.');
  });

  test('asks on a later day what is due, and then what is new', async () => {
    const cards = { 1: { box: 2, answered: '2026-11-23' }, 2: { box: 3, answered: '2026-11-23' } };
    const { saved } = await play(Readable.from(['\n1\n\n1\n']), { cards, today: '2026-11-24', count: 2 });
    expect(saved.at(-1)).toEqual({
      ...cards,
      1: { box: 3, answered: '2026-11-24' },
      3: { box: 2, answered: '2026-11-24' },
    });
  });

  test('asks new questions before those that were answered today, and says so', async () => {
    const cards = Object.fromEntries(
      questions.slice(0, -1).map(({ number }) => [number, { box: 1, answered: '2026-11-23' }]),
    );
    const { saved, printed } = await play(Readable.from(['\n2\n']), { cards, count: 2 });
    expect(printed).toContain('2 questions: 0 due, 1 new, 1 answered earlier today.');
    expect(printed).toContain('Asked again today, after the new questions.');
    expect(Object.keys(saved.at(-1) ?? {})).toHaveLength(questions.length);
  });

  test('changes only the card of its question: the answers of another quiz remain', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'interview-'));
    const file = join(folder, 'interview.json');
    const ask = (input: Readable, chosen: readonly Question[]): Promise<QuizResult> =>
      runQuiz({
        language: 'en',
        questions: chosen,
        load: () => readCards(file),
        count: 1,
        now: day('2026-11-23'),
        save: (cards) => {
          writeCards(file, cards);
        },
        input,
        output: new PassThrough(),
        terminal: false,
        show: plain,
      });
    const inputs = [new PassThrough(), new PassThrough()] as const;
    const quizzes = inputs.map((input, i) => ask(input, questions.slice(i, i + 1))); // both have read the cards
    for (const [i, input] of inputs.entries()) {
      input.end('\n1\n');
      await quizzes[i];
    }
    expect(Object.keys(readCards(file))).toEqual(['1', '2']);
    rmSync(folder, { recursive: true });
  });

  test('ends with a summary when the input ends, and keeps what was assessed', async () => {
    const { result, saved, printed } = await play(Readable.from(['a\n1\nb\n']));
    expect(result.asked).toBe(1);
    expect(saved).toHaveLength(1);
    expect(printed).toContain('1 answered: 1 known');
  });

  test('says when the next question is due if there is none to ask', async () => {
    const cards = Object.fromEntries(
      questions.map(({ number }) => [number, { box: number === 7 ? 2 : 5, answered: '2026-11-23' }]),
    );
    const { result, printed } = await play(Readable.from([]), { cards });
    expect(result.asked).toBe(0);
    expect(printed).toContain('The next one is due on 2026-11-24.');
  });

  test('Ctrl-C in a terminal ends it and keeps what was answered', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const saved: Cards[] = [];
    const quiz = runQuiz({
      language: 'zh',
      questions,
      load: () => ({}),
      count: 2,
      now: day('2026-11-23'),
      save: (cards) => {
        saved.push(cards);
        input.write('\u0003');
      },
      input,
      output,
      terminal: true,
      show: plain,
    });
    input.write('竞态\r');
    input.write('1\r');
    await expect(quiz).resolves.toEqual({
      asked: 1,
      answers: { knew: 1, partly: 0, no: 0 },
      interrupted: true,
    });
    expect(saved).toHaveLength(1);
  });
});

describe('lab interview', () => {
  async function run(...words: string[]): Promise<string> {
    const program = new Command('lab').exitOverride();
    register(program);
    for (const command of program.commands)
      command.exitOverride().configureOutput({ writeErr: () => undefined });
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      await program.parseAsync(['interview', ...words], { from: 'user' });
      return write.mock.calls.map(([chunk]) => String(chunk)).join('');
    } finally {
      write.mockRestore();
    }
  }

  test('lists topics and questions, or one topic', async () => {
    const all = await run('--lang', 'en');
    expect(all).toContain('(--topic basics)');
    expect(all).toContain(' 6  Why not plain SETNX?');
    const topic = await run('--topic', 'basics', '--lang', 'zh');
    expect(topic).toContain('为什么不能直接用 SETNX？');
    expect(topic).not.toContain('红锁');
  });

  test('prints a question with all its parts', async () => {
    const printed = await run('6', '--lang', 'en');
    for (const label of ['Short answer.', 'Full answer.', 'Follow-ups.', 'Trap.', 'Evidence.'])
      expect(printed).toContain(label);
    expect(printed).toContain('npx lab explore setnx --faults kill:1');
  });

  test('writes questions as JSON', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'interview-'));
    const file = join(folder, 'one.json');
    await run('6', '--lang', 'en', '--json', file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([readQuestions('en')[5]]);
    rmSync(folder, { recursive: true });
  });

  test.each([
    [['999'], 'there is no question 999'],
    [['0'], 'there is no question 0'],
    [['--topic', 'hope'], 'choose one of basics'],
    [['6', '--quiz'], 'omit the number'],
    [['6', '--topic', 'basics'], 'not both'],
    [['--count', '3'], '--count needs --quiz'],
    [['--file', 'x.json'], '--file needs --quiz'],
    [['--quiz', '--json', 'x.json'], 'omit --quiz'],
    [['--quiz', '--file', 'package.json'], 'package.json is not a file of answered questions'],
  ])('%j is refused with one line and exit code 2', async (words, message) => {
    const error = await run(...words).then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(error).toBeInstanceOf(Failure);
    const { message: said, exitCode } = error as Failure;
    expect({ exitCode, lines: said.split('\n').length }).toEqual({ exitCode: 2, lines: 1 });
    expect(said).toContain(message);
  });

  test.each([['x'], ['--lang', 'fr']])('the argument %s is refused', async (...words) => {
    await expect(run(...words)).rejects.toMatchObject({ exitCode: 1, name: 'CommanderError' });
  });

  test('an argument that is no number is refused with the numbers of the questions', async () => {
    const range = `from 1 to ${readQuestions('en').length}`;
    await expect(run('abc')).rejects.toThrow(`It must be the number of a question, ${range}.`);
  });

  test.each(LANGUAGES)('fits 100 columns in %s', (language) => {
    const topics = readTopics(language);
    const lines = [
      printTopics(topics),
      ...readQuestions(language).map((question) => printQuestion(question, language)),
    ]
      .join('\n')
      .split('\n')
      .filter((line) => columnsOf(line) > 100 && !/^.{0,4}`[^`]+`\S*$/u.test(line)); // a command is not broken
    expect(lines).toEqual([]);
  });
});

describe('a line break of the source', () => {
  test('is one space, also before the indentation of a continued item, and not between Chinese characters', () => {
    expect(plain('- a lock\n  discourages it.\n  It also\n- is')).toBe(
      '- a lock discourages it. It also\n- is',
    );
    expect(plain('用测\n试重现，\n  看看 `npx`\n输出。\nRedis')).toBe('用测试重现，看看 `npx` 输出。Redis');
  });

  test.each(LANGUAGES)(
    'leaves no gap inside a sentence, and no fence, of the questions and lessons in %s',
    (language) => {
      const lines = [
        ...readQuestions(language).map((question) => printQuestion(question, language)),
        ...readLessons(language).map((lesson) => printLesson(lesson, true)),
      ].flatMap((text) => text.split('\n'));
      const gap = /[a-z][.,;:] {2,}[A-Za-z]|[\p{Script=Han}，。：；、？！] [\p{Script=Han}，。：；、？！]/u;
      expect(lines.filter((line) => gap.test(line) || line.includes('```'))).toEqual([]);
    },
  );
});

test('wide characters count as two columns, and punctuation does not begin a line', () => {
  expect(columnsOf('锁 a')).toBe(4);
  expect(wrapWide('锁到期，再抢。', 2, 7)).toBe('锁到\n  期，\n  再\n  抢。');
});

test.each([
  [undefined, 'zh_CN.UTF-8', 'zh'],
  [undefined, 'en_US.UTF-8', 'en'],
  [undefined, '', 'en'],
  ['en', 'zh_CN', 'en'],
] as const)('with --lang %s and the locale %s the language is %s', (asked, locale, language) => {
  expect(chosenLanguage(asked, locale)).toBe(language);
});

test('the locale is the first of LC_ALL, LC_MESSAGES and LANG that is set', () => {
  expect(userLocale({ LC_ALL: '', LC_MESSAGES: 'zh_CN', LANG: 'de' })).toBe('zh_CN');
  expect(userLocale({ LC_ALL: 'fr', LC_MESSAGES: 'zh_CN' })).toBe('fr');
  expect(userLocale({})).toBe('');
});
