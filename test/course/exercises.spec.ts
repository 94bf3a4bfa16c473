import {
  bugOf,
  EXERCISES,
  ExerciseError,
  findExercise,
  folderOf,
  nextHint,
  outcomeOf,
  readHints,
  readPage,
  requireFiles,
  resetExercise,
  solutionFiles,
  sourceFolder,
  startExercise,
  startFiles,
  type CheckedRequirement,
  type Exercise,
} from '#lab/course';
import type { Language } from '#lab/verdict';
import { userLocale } from '#lab/config';
import { readSchedule } from '#lab/explore';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chosenLanguage } from '../../apps/lab/src/language';
import { printChecked } from '../../apps/lab/src/print/exercise';
import { PROMISES_IN_CHINESE } from '../../apps/lab/src/print/promises-zh';
import { countDecisions } from '../../libs/course/src/exercise/decisions';

const parent = mkdtempSync(join(tmpdir(), 'exercises-'));
afterAll(() => {
  rmSync(parent, { recursive: true });
});

const exerciseNamed = (name: string): Exercise => {
  const found = findExercise(name);
  if (found === undefined) throw new Error(`there is no exercise ${name}`);
  return found;
};

/** Starts an exercise in a folder of its own. */
function start(exercise: Exercise, seed = '1', language: Language = 'en'): string {
  const folder = folderOf(exercise, mkdtempSync(join(parent, 'of-')));
  startExercise(exercise, folder, { language, seed });
  return folder;
}

test('the catalogue has exactly the folders of walkthroughs/exercises, numbered from 1', () => {
  const folders = readdirSync(dirname(sourceFolder(exerciseNamed('1')))).toSorted();
  expect(EXERCISES.map(({ id }) => id)).toEqual(folders);
  expect(EXERCISES.map(({ number }) => number)).toEqual(EXERCISES.map((_, i) => i + 1));
});

test('an exercise is found by its number or its id', () => {
  expect(['4', '04', '04-add-the-fence'].map((name) => findExercise(name)?.number)).toEqual([4, 4, 4]);
  expect(findExercise('99')).toBeUndefined();
});

test.each(EXERCISES)('$id: both languages have a title, the same minutes and as many hints', (exercise) => {
  const [en, zh] = [readPage(exercise, 'en'), readPage(exercise, 'zh')];
  expect(zh.minutes).toBe(en.minutes);
  expect(zh.title).toMatch(/\p{Script=Han}/u);
  expect(readHints(exercise, 'en').length).toBeGreaterThanOrEqual(2);
  expect(readHints(exercise, 'zh')).toHaveLength(readHints(exercise, 'en').length);
});

test.each(EXERCISES)(
  '$id: its folder has the pages, the files of the task and its solution, and no other',
  (exercise) => {
    const { task } = exercise;
    const seeds = Array.from({ length: task.kind === 'bug' ? task.bugs : 1 }, (_, i) => String(i + 1));
    const files = seeds.flatMap((seed) => [...startFiles(exercise, seed), ...solutionFiles(exercise, seed)]);
    const pages = ['en.md', 'zh.md', 'hints.en.md', 'hints.zh.md'];
    expect(readdirSync(sourceFolder(exercise)).toSorted()).toEqual(
      [...new Set([...pages, ...files.map(({ from }) => from)])].toSorted(),
    );
  },
);

test('start writes the task in the chosen language and the files to edit', () => {
  const exercise = exerciseNamed('2');
  const folder = start(exercise, '1', 'zh');
  expect(readdirSync(folder).toSorted()).toEqual(['.exercise.json', 'lock.js', 'task.md']);
  expect(readFileSync(join(folder, 'task.md'), 'utf8')).toMatch(/^# 2\. 只释放自己的锁/);
  expect(readFileSync(join(folder, 'lock.js'), 'utf8')).toBe(
    readFileSync(join(sourceFolder(exercise), 'start.js'), 'utf8'),
  );
});

test('start overwrites nothing, and the message is one line', () => {
  const exercise = exerciseNamed('2');
  const folder = start(exercise);
  writeFileSync(join(folder, 'lock.js'), '// mine');
  const again = (): void => {
    startExercise(exercise, folder, { language: 'en', seed: '1' });
  };
  expect(again).toThrow(ExerciseError);
  expect(again).toThrow(/^[^\n]*exists and was not changed[^\n]*$/);
  expect(readFileSync(join(folder, 'lock.js'), 'utf8')).toBe('// mine');
});

test('only an exercise with seeds speaks of another seed', () => {
  const messages = ['2', '5'].map((name) => {
    const exercise = exerciseNamed(name);
    const folder = start(exercise);
    try {
      startExercise(exercise, folder, { language: 'en', seed: '1' });
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  });
  expect(messages.map((message) => message.includes('another seed'))).toEqual([false, true]);
});

test('an exercise is started in an empty folder of its name', () => {
  const exercise = exerciseNamed('2');
  const folder = folderOf(exercise, mkdtempSync(join(parent, 'of-')));
  mkdirSync(folder);
  expect(() => nextHint(exercise, folder, 'en')).toThrow('lab exercise start 2');
  startExercise(exercise, folder, { language: 'en', seed: '1' });
  expect(nextHint(exercise, folder, 'en').number).toBe(1);
});

test.each([
  [
    'a file of its name',
    (folder: string) => {
      writeFileSync(folder, '');
    },
    /^\S+ is a file, [^\n]*rename it/,
  ],
  [
    'a folder without .exercise.json',
    (folder: string) => {
      mkdirSync(folder);
      writeFileSync(join(folder, 'lock.js'), '// mine');
    },
    /^\S+ has no \.exercise\.json, [^\n]*rename \S+, start it with "npx lab exercise start 2", and copy/,
  ],
] as const)(
  '%s is never started, checked, hinted at or reset: one message says what to do',
  (_, make, message) => {
    const exercise = exerciseNamed('2');
    const folder = folderOf(exercise, mkdtempSync(join(parent, 'of-')));
    make(folder);
    const uses = [
      () => {
        startExercise(exercise, folder, { language: 'en', seed: '1' });
      },
      () => {
        requireFiles(exercise, folder);
      },
      () => nextHint(exercise, folder, 'en'),
      () => resetExercise(exercise, folder),
    ];
    for (const use of uses) {
      expect(use).toThrow(ExerciseError);
      expect(use).toThrow(message);
    }
  },
);

test.each([
  ['1', 'answer.txt'],
  ['3', 'answer.txt'],
  ['5', 'answer.txt'],
  ['5', 'lock.js'],
  ['6', 'coupon.js'],
])('exercise %s without %s: the message names the file and how to restore it', (name, file) => {
  const exercise = exerciseNamed(name);
  const folder = start(exercise);
  requireFiles(exercise, folder);
  rmSync(join(folder, file));
  const check = (): void => {
    requireFiles(exercise, folder);
  };
  expect(check).toThrow(ExerciseError);
  expect(check).toThrow(`there is no file ${join(folder, file)}: "npx lab exercise reset ${name}" restores`);
});

test('each call prints the next hint, and after the last one the last one again', () => {
  const exercise = exerciseNamed('2');
  const folder = start(exercise);
  const numbers = Array.from({ length: 4 }, () => nextHint(exercise, folder, 'en').number);
  expect(numbers).toEqual([1, 2, 3, 3]);
  expect(nextHint(exercise, folder, 'zh')).toMatchObject({
    number: 3,
    of: 3,
    text: readHints(exercise, 'zh')[2],
  });
});

test('without a start there is no hint: the message says how to start', () => {
  expect(() => nextHint(exerciseNamed('2'), join(parent, 'none'), 'en')).toThrow('lab exercise start 2');
});

test('reset restores the files and keeps every version of the learner', () => {
  const exercise = exerciseNamed('5');
  const folder = start(exercise, '3');
  const file = join(folder, 'lock.js');
  const original = readFileSync(file, 'utf8');
  expect(resetExercise(exercise, folder)).toEqual([]);
  for (const [mine, backup] of [
    ['// first', `${file}.bak`],
    ['// second', `${file}.bak2`],
  ] as const) {
    writeFileSync(file, mine);
    expect(resetExercise(exercise, folder)).toEqual([backup]);
    expect([readFileSync(backup, 'utf8'), readFileSync(file, 'utf8')]).toEqual([mine, original]);
  }
  rmSync(file);
  expect(resetExercise(exercise, folder)).toEqual([]);
  expect(existsSync(file)).toBe(true);
});

test('neighboring seeds choose different locks, and the same seed or name the same one', () => {
  const lockOf = (seed: string): string =>
    readFileSync(join(start(exerciseNamed('5'), seed), 'lock.js'), 'utf8');
  const locks = ['1', '2', '3', '4', '5', '6'].map(lockOf);
  expect(new Set(locks).size).toBe(6);
  expect([lockOf('2'), lockOf('8')]).toEqual([locks[1], locks[1]]);
  expect([bugOf('0', 6), bugOf('1', 6), bugOf('7', 6)]).toEqual([6, 1, 1]);
  expect(bugOf('blue team', 6)).toBe(bugOf('blue team', 6));
  expect(
    new Set(['blue', 'red', 'green', '第一组', '第二组'].map((name) => bugOf(name, 6))).size,
  ).toBeGreaterThan(1);
});

test('nothing in the locks of find-the-bug gives the bug away: the first line is the only comment', () => {
  const exercise = exerciseNamed('5');
  const texts = ['1', '2', '3', '4', '5', '6'].map((seed) =>
    readFileSync(join(sourceFolder(exercise), startFiles(exercise, seed)[0]?.from ?? ''), 'utf8'),
  );
  expect(new Set(texts.map((text) => text.split('\n')[0])).size).toBe(1);
  expect(texts.map((text) => text.match(/\/\/|\/\*/g)?.length)).toEqual([1, 1, 1, 1, 1, 1]);
});

test.each([
  ['a2b5a3', 3],
  ['a5P1Tab3a2b4', 6],
  ['a3P1b7Taa4', 5],
  ['TaTaTb', 2],
  ['LL', 2],
])('%s has %i decisions', (schedule, decisions) => {
  expect(countDecisions(readSchedule(schedule) ?? [])).toBe(decisions);
});

describe('the result of a check', () => {
  const lines = (language: Language, checked: CheckedRequirement): string[] =>
    printChecked([checked], language, '').split('\n');
  const promise = (schedules: number): CheckedRequirement => ({
    requirement: { code: 'promise', capability: 'releasesAfterSale' },
    state: 'met',
    schedules,
  });

  test('counts one schedule and several, in both languages', () => {
    expect(lines('en', promise(1)).join(' ')).toMatch(/ \(1 schedule\)$/);
    expect(lines('en', promise(1118)).join(' ')).toMatch(/ \(1,118 schedules\)$/);
    expect(lines('zh', promise(118))).toEqual(['✓ releasesAfterSale：卖完立即释放锁（118 个调度）']);
  });

  test('separates the named promise by a colon, and has none without a name', () => {
    const named = { requirement: { code: 'bug-named', capability: 'survivesLapse' }, state: 'met' } as const;
    const unnamed = { requirement: { code: 'bug-named' }, state: 'met' } as const;
    expect(lines('en', named)[0]).toMatch(/breaks: survivesLapse$/);
    expect(lines('en', unnamed)[0]).toMatch(/breaks$/);
    expect(lines('zh', named)[0]).toMatch(/承诺：survivesLapse$/);
  });

  test('says in both languages how the schedule fails', () => {
    const sentence = 'B read 1 (step 5) before A committed 0 (step 9)';
    const missed = { ...promise(2), state: 'missed', sentence } as const;
    expect(lines('en', missed)[1]).toBe(`    ${sentence}`);
    expect(lines('zh', missed)[1]).toMatch(/^ {4}\p{Script=Han}*B.*第 5 步/u);
    const invariant = { ...missed, sentence: '"one coupon" is false' };
    expect(lines('zh', invariant)[1]).toBe('    不变式 "one coupon" 不成立');
  });

  test('has the promises of all exercises in Chinese, as the console has them', () => {
    const console = readFileSync('apps/console/web/src/texts/zh.ts', 'utf8');
    const promises = EXERCISES.flatMap(({ task }) => ('promises' in task ? task.promises : []));
    for (const name of new Set(promises))
      expect(console).toContain(`${name}: '${PROMISES_IN_CHINESE[name] ?? 'missing'}'`);
  });
});

test('a search that proves nothing is unknown, never solved', () => {
  const requirement = { code: 'invariants', faults: '' } as const;
  expect(
    outcomeOf([
      { requirement, state: 'met' },
      { requirement, state: 'unknown' },
    ]),
  ).toBe('unknown');
  expect(
    outcomeOf([
      { requirement, state: 'missed' },
      { requirement, state: 'unknown' },
    ]),
  ).toBe('not-solved');
  expect(outcomeOf([{ requirement, state: 'met' }])).toBe('solved');
});

test('the language is that of the option, else of the locale', () => {
  expect(chosenLanguage('en', 'zh_CN.UTF-8')).toBe('en');
  expect(
    ['zh_CN.UTF-8', 'zh-TW', 'de_DE', 'C', ''].map((locale) => chosenLanguage(undefined, locale)),
  ).toEqual(['zh', 'zh', 'en', 'en', 'en']);
  expect(userLocale({ LC_ALL: '', LC_MESSAGES: 'zh_CN', LANG: 'en_US' })).toBe('zh_CN');
  expect(userLocale({})).toBe('');
});
