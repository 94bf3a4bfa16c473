import {
  checkExercise,
  EXERCISES,
  findExercise,
  outcomeOf,
  solutionFiles,
  sourceFolder,
  startExercise,
  type CheckedRequirement,
  type Exercise,
} from '#lab/course';
import {
  EXPLORE_OPTIONS,
  findExplored,
  loadExplored,
  play,
  readSchedule,
  Realm,
  WorkerPool,
  type World,
} from '#lab/explore';
import { nameOf } from '#lab/own';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countDecisions } from '../../libs/course/src/exercise/decisions';
import { openWorld } from '../harness/servers';

const parent = mkdtempSync(join(tmpdir(), 'exercises-'));
let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(async () => {
  await world.close();
  rmSync(parent, { recursive: true });
});

/** Schedules of one circumstance: more than any solution has. */
const MAX = 20_000;

/** Every exercise, and find-the-bug with each of its locks. */
const CASES = EXERCISES.flatMap((exercise) => {
  const { task } = exercise;
  const bugs = task.kind === 'bug' ? task.bugs : 1;
  return Array.from({ length: bugs }, (_, i) => ({ name: exercise.id, seed: String(i + 1), exercise }));
});

const start = (exercise: Exercise, seed: string): string => {
  const folder = mkdtempSync(join(parent, 'of-'));
  startExercise(exercise, join(folder, 'it'), { language: 'en', seed });
  return join(folder, 'it');
};

const check = (exercise: Exercise, folder: string, seed: string): Promise<CheckedRequirement[]> =>
  checkExercise(exercise, folder, seed, {
    pool: WorkerPool.on(world),
    load: (file) => {
      const realm = new Realm(1);
      try {
        return loadExplored(file, nameOf(file), realm);
      } finally {
        realm.timers.stop();
      }
    },
    max: MAX,
    signal: new AbortController().signal,
  });

/** The promises that a schedule breaks. */
const brokenIn = (checked: readonly CheckedRequirement[]): string[] =>
  checked.flatMap(({ requirement, state }) =>
    requirement.code === 'promise' && state === 'missed' ? [requirement.capability] : [],
  );

/** What a requirement that is not met says, for the message of a failed test. */
const notMet = (checked: readonly CheckedRequirement[]): readonly CheckedRequirement[] =>
  checked.filter(({ state }) => state !== 'met');

test.each(CASES)('$name, seed $seed: the files at the start are not solved', async ({ exercise, seed }) => {
  const checked = await check(exercise, start(exercise, seed), seed);
  expect(outcomeOf(checked)).toBe('not-solved');
  if (exercise.task.kind !== 'bug') return;
  const answer = readFileSync(join(sourceFolder(exercise), `solution-${seed}.txt`), 'utf8').trim();
  expect(brokenIn(checked)).toContain(answer); // one bug may break two promises
});

test.each(CASES)('$name, seed $seed: the solution is solved', async ({ exercise, seed }) => {
  const folder = start(exercise, seed);
  for (const { from, to } of solutionFiles(exercise, seed))
    copyFileSync(join(sourceFolder(exercise), from), join(folder, to));
  expect(notMet(await check(exercise, folder, seed))).toEqual([]);
});

test.each([
  { numbers: 'of the clock', number: 'Date.now()' },
  { numbers: 'drawn at random', number: 'Math.floor(Math.random() * 1e9)' },
])('add-the-fence: numbers $numbers are no fencing tokens', async ({ number }) => {
  const exercise = findExercise('4');
  if (exercise === undefined) throw new Error('there is no exercise 4');
  const folder = start(exercise, '1');
  const solution = readFileSync(join(sourceFolder(exercise), 'solution.js'), 'utf8');
  const numbered = solution.replace('{ token, owner }', `{ token: (mine = ${number}), owner }`);
  const written = numbered
    .replace('{ token, owner }', '{ token: mine, owner }')
    .replace('const owner', 'let mine;\n    const owner');
  writeFileSync(join(folder, 'strategy.js'), written);
  expect(brokenIn(await check(exercise, folder, '1'))).toEqual(['exactAcrossProcesses']);
});

test('no schedule of watchdog with one pause oversells in four decisions: five is the minimum', async () => {
  const strategy = findExplored('watchdog');
  const setup = { strategy, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1', 'p2'] };
  const counts = new Map<string, number>(); // the fewest decisions of each text that oversells
  for (const text of fourDecisions()) {
    const { choices, verdict } = await play(world, setup, readSchedule(text) ?? [], { strict: false });
    if (verdict.violations.some(({ kind }) => kind === 'oversold')) counts.set(text, countDecisions(choices));
  }
  expect(counts.size).toBeGreaterThan(0);
  expect(Math.min(...counts.values())).toBe(5);
});

/** More steps than a buyer has before it ends or waits. */
const STEPS = 8;

/**
 * The first three decisions of every schedule that has at most four, one of them a pause; what follows is one actor that goes on
 * until it ends. The processes are alike: A, which begins, stands for B. Its pause and that of B are both tried.
 */
function* fourDecisions(): Generator<string> {
  const lengths = Array.from({ length: STEPS }, (_, i) => i + 1);
  const last = ['', 'a', 'b', 'Ta', 'Tb'];
  for (const first of lengths) {
    for (const third of ['a', 'b', 'Ta', 'Tb'])
      for (const n of third.startsWith('T') ? [1] : lengths)
        for (const fourth of last) yield `a${first}P1${third}${n === 1 ? '' : n}${fourth}`;
    for (const second of lengths)
      for (const paused of [1, 2]) for (const fourth of last) yield `a${first}b${second}P${paused}${fourth}`;
  }
}
