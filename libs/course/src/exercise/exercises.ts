import type { Language } from '#lab/verdict';
import { projectRoot } from '#lab/stack';
import type { Capability } from '#lab/strategy';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { CourseSyntaxError } from '../lesson/lesson';
import { sectionsOf, titleOf } from '../markdown';
import { ANSWER, type Exercise, type Task } from './exercise';

/** What a correct lock with a lease promises. The other promises need a renewal or a fence. */
const PROMISES_OF_A_LEASE: readonly Capability[] = [
  'exactInOneProcess',
  'exactAcrossProcesses',
  'survivesDeadHolder',
  'releasesOnlyItsOwn',
  'releasesAfterSale',
  'losersTouchNothing',
];

const TASKS: Readonly<Record<string, Task>> = {
  '01-oversell-by-hand': { kind: 'schedule', strategy: 'none', violation: 'oversold' },
  '02-release-script': {
    kind: 'promises',
    file: 'lock.js',
    promises: ['exactAcrossProcesses', 'releasesOnlyItsOwn', 'releasesAfterSale'],
  },
  '03-watchdog-in-five': {
    kind: 'schedule',
    strategy: 'watchdog',
    violation: 'oversold',
    decisions: 5,
    faults: ['pause'],
  },
  '04-add-the-fence': {
    kind: 'promises',
    file: 'strategy.js',
    promises: ['exactAcrossProcesses', 'survivesLapse', 'survivesSlowWork', 'noticesLoss'],
  },
  '05-find-the-bug': { kind: 'bug', file: 'lock.js', promises: PROMISES_OF_A_LEASE, bugs: 6 },
  '06-coupon-once': { kind: 'subject', file: 'coupon.js' },
};

/** All exercises, from easy to hard. */
export const EXERCISES: readonly Exercise[] = Object.entries(TASKS).map(([id, task]) => ({
  id,
  number: Number.parseInt(id, 10),
  task,
}));

/** The exercise with this number or id, for example `4`, `04` or `04-add-the-fence`; undefined: there is none. */
export const findExercise = (name: string): Exercise | undefined =>
  EXERCISES.find(({ id, number }) => id === name || (/^\d+$/.test(name) && number === Number(name)));

/** The folder of an exercise in this repository. */
export const sourceFolder = ({ id }: Pick<Exercise, 'id'>): string =>
  join(projectRoot(), 'walkthroughs', 'exercises', id);

/** The text of a task. */
export interface ExercisePage {
  readonly title: string;
  readonly minutes: number;
  /** Markdown, without the front matter. */
  readonly text: string;
}

const FrontMatter = z.strictObject({ minutes: z.int().min(5).max(60) });

/** @throws CourseSyntaxError when a part is missing or unknown */
export function readPage(exercise: Exercise, language: Language): ExercisePage {
  const page = `walkthroughs/exercises/${exercise.id}/${language}.md`;
  const markdown = readFileSync(join(sourceFolder(exercise), `${language}.md`), 'utf8');
  const [, head, text] = /^---\n([^]*?)\n---\n+([^]*)$/.exec(markdown) ?? [];
  if (head === undefined || text === undefined)
    throw new CourseSyntaxError(page, 'it must begin with minutes between --- and ---');
  const front = FrontMatter.safeParse(parse(head));
  if (!front.success) throw new CourseSyntaxError(page, z.prettifyError(front.error));
  const title = titleOf(text);
  if (title === undefined) throw new CourseSyntaxError(page, 'it has no title (# …)');
  return { title: title.replace(/^\d+\.\s*/, ''), ...front.data, text };
}

/**
 * The hints of an exercise, from the first to the last.
 * @throws CourseSyntaxError when their headings are not `## Hint 1`, `## Hint 2` …
 */
export function readHints(exercise: Exercise, language: Language): string[] {
  const name = `hints.${language}.md`;
  const word = language === 'en' ? 'Hint' : '提示';
  const found = sectionsOf(readFileSync(join(sourceFolder(exercise), name), 'utf8'));
  return found.map(({ title, text }, i) => {
    if (title !== `${word} ${i + 1}`)
      throw new CourseSyntaxError(
        `walkthroughs/exercises/${exercise.id}/${name}`,
        `its headings are ## ${word} 1, ## ${word} 2 …, not "${title}"`,
      );
    return text;
  });
}

/** A file of this repository, and its name in the folder of a learner. */
export interface ExerciseFile {
  readonly from: string;
  readonly to: string;
}

/** The files that a learner edits. */
export function startFiles({ task }: Exercise, seed: string): readonly ExerciseFile[] {
  switch (task.kind) {
    case 'schedule':
      return [{ from: ANSWER, to: ANSWER }];
    case 'bug':
      return [
        { from: `lock-${bugOf(seed, task.bugs)}.js`, to: task.file },
        { from: ANSWER, to: ANSWER },
      ];
    case 'promises':
    case 'subject':
      return [{ from: 'start.js', to: task.file }];
  }
}

/** The same files as they are in a solution. */
export function solutionFiles({ task }: Exercise, seed: string): readonly ExerciseFile[] {
  switch (task.kind) {
    case 'schedule':
      return [{ from: 'solution.txt', to: ANSWER }];
    case 'bug':
      return [
        { from: 'solution.js', to: task.file },
        { from: `solution-${bugOf(seed, task.bugs)}.txt`, to: ANSWER },
      ];
    case 'promises':
    case 'subject':
      return [{ from: 'solution.js', to: task.file }];
  }
}

/** The lock that a seed chooses, from 1. Seeds 1, 2, 3 … choose different ones; a name chooses always the same one. */
export function bugOf(seed: string, bugs: number): number {
  const number = /^\d{1,9}$/.test(seed)
    ? Number(seed) + bugs - 1
    : createHash('sha1').update(seed).digest().readUInt32BE(0);
  return 1 + (number % bugs);
}
