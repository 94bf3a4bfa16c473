import { LANGUAGES, type Language } from '#lab/verdict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ExerciseError, type Exercise } from './exercise';
import { readHints, readPage, sourceFolder, startFiles } from './exercises';

const STATE = '.exercise.json';

const State = z.object({
  exercise: z.string(),
  language: z.enum(LANGUAGES),
  seed: z.string(),
  /** Hints that were printed. */
  hints: z.int().min(0),
});

/** What the folder of a learner remembers. */
export type ExerciseState = z.infer<typeof State>;

/** The folder of an exercise in the learner's folder, for example `exercise-04`. */
export const folderOf = ({ number }: Exercise, parent: string): string =>
  join(parent, `exercise-${String(number).padStart(2, '0')}`);

/** Creates the learner's folder with the task and the files to edit. @throws ExerciseError when it exists and is not empty */
export function startExercise(
  exercise: Exercise,
  folder: string,
  { language, seed }: Pick<ExerciseState, 'language' | 'seed'>,
): void {
  if (!isFree(folder)) {
    readState(exercise, folder); // without a state, reset cannot restore anything
    const otherSeed = exercise.task.kind === 'bug' ? '; for another seed, delete it first' : '';
    throw new ExerciseError(
      `${folder} exists and was not changed: "npx lab exercise reset ${exercise.number}" restores its files${otherSeed}`,
    );
  }
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new ExerciseError(`cannot create ${folder}: ${(error as Error).message}`, { cause: error });
  }
  writeFileSync(join(folder, 'task.md'), readPage(exercise, language).text);
  for (const { from, to } of startFiles(exercise, seed))
    copyFileSync(join(sourceFolder(exercise), from), join(folder, to));
  writeState(folder, { exercise: exercise.id, language, seed, hints: 0 });
}

/** The next hint, its number from 1, and how many there are. After the last one it is the last one again. */
export function nextHint(
  exercise: Exercise,
  folder: string,
  language: Language,
): { readonly text: string; readonly number: number; readonly of: number } {
  const state = readState(exercise, folder);
  const hints = readHints(exercise, language);
  const number = Math.min(state.hints + 1, hints.length);
  writeState(folder, { ...state, hints: number });
  return { text: hints[number - 1] ?? '', number, of: hints.length };
}

/** Restores the files to edit. Files that differ are kept as `.bak`, `.bak2`, …; returns their names. */
export function resetExercise(exercise: Exercise, folder: string): string[] {
  const { seed } = readState(exercise, folder);
  return startFiles(exercise, seed).flatMap(({ from, to }) => {
    const [source, target] = [join(sourceFolder(exercise), from), join(folder, to)];
    const kept = keep(target, readFileSync(source, 'utf8'));
    copyFileSync(source, target);
    return kept === undefined ? [] : [kept];
  });
}

/** Copies a file whose text differs from `original`. Returns the name of the copy. */
function keep(file: string, original: string): string | undefined {
  if (!existsSync(file) || readFileSync(file, 'utf8') === original) return undefined;
  let backup = `${file}.bak`;
  for (let n = 2; existsSync(backup); n++) backup = `${file}.bak${n}`;
  copyFileSync(file, backup);
  return backup;
}

/** Checks that the files to edit exist. @throws ExerciseError that names the first one that is missing */
export function requireFiles(exercise: Exercise, folder: string): void {
  const { seed } = readState(exercise, folder);
  for (const { to } of startFiles(exercise, seed)) {
    const file = join(folder, to);
    if (!existsSync(file))
      throw new ExerciseError(
        `there is no file ${file}: "npx lab exercise reset ${exercise.number}" restores the original`,
      );
    if (!statSync(file).isFile())
      throw new ExerciseError(
        `${file} is a folder: rename it; "npx lab exercise reset ${exercise.number}" restores the original file`,
      );
  }
}

/** @throws ExerciseError when the exercise was not started here */
export function readState(exercise: Exercise, folder: string): ExerciseState {
  const start = `start it with "npx lab exercise start ${exercise.number}"`;
  const file = join(folder, STATE);
  if (!existsSync(file)) throw new ExerciseError(whyNoState(exercise, folder, start));
  try {
    return State.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new ExerciseError(`${file} cannot be read: rename ${folder}, and ${start}`, { cause: error });
  }
}

/** Why a folder has no state, and what to do next. */
function whyNoState({ task }: Exercise, folder: string, start: string): string {
  if (isFree(folder))
    return existsSync(STATE)
      ? `there is no ${folder} in this folder, which is one of an exercise: run the command in the folder above`
      : `there is no exercise in ${folder}: ${start}`;
  if (!statSync(folder).isDirectory())
    return `${folder} is a file, not the folder of an exercise: rename it, and ${start}`;
  const seed = task.kind === 'bug' ? ' and the --seed that it had' : '';
  return `${folder} has no ${STATE}, which "npx lab exercise start" writes: rename ${folder}, ${start}${seed}, and copy your files into the new folder`;
}

/** Whether an exercise can be started there: nothing, or an empty folder. */
const isFree = (folder: string): boolean =>
  !existsSync(folder) || (statSync(folder).isDirectory() && readdirSync(folder).length === 0);

const writeState = (folder: string, state: ExerciseState): void => {
  writeFileSync(join(folder, STATE), `${JSON.stringify(state, null, 2)}\n`);
};
