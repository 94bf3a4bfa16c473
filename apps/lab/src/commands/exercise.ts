import type { Language } from '#lab/verdict';
import {
  checkExercise,
  EXERCISES,
  ExerciseError,
  findExercise,
  folderOf,
  nextHint,
  outcomeOf,
  readPage,
  readState,
  requireFiles,
  resetExercise,
  startExercise,
  type Exercise,
} from '#lab/course';
import { NotExplorable } from '#lab/explore';
import type { Command } from 'commander';
import { randomInt } from 'node:crypto';
import { join, relative } from 'node:path';
import { runCommand, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT, Failure } from '../failure';
import { chosenLanguage, languageOption } from '../language';
import { loadOwn } from '../own-file';
import { OUTCOMES, printChecked, schedulesText } from '../print/exercise';
import { wrapWide } from '../print/wrap-wide';
import { whole } from './numbers';

/** Schedules of one circumstance: more than any solution of ours has. */
const MAX_SCHEDULES = 20_000;

interface LanguageOptions {
  readonly lang?: Language;
}

interface StartOptions extends LanguageOptions {
  readonly seed?: string;
}

interface CheckOptions extends LanguageOptions {
  readonly max: number;
  readonly workers: number;
}

export function register(program: Command): void {
  const command = program
    .command('exercise')
    .description('exercises for workshops: break or fix something; the servers judge it');
  command
    .command('list')
    .description('print the exercises, from easy to hard')
    .addOption(languageOption())
    .action(({ lang }: LanguageOptions) => {
      list(chosenLanguage(lang));
    });
  command
    .command('start')
    .argument('<exercise>', 'its number', exerciseOf)
    .description('write the task and the files to edit into ./exercise-NN')
    .option('--seed <number-or-name>', 'chooses the bug of find-the-bug, for example the name of your group')
    .addOption(languageOption())
    .action((exercise: Exercise, options: StartOptions) => {
      asUsage(() => {
        start(exercise, options);
      });
    });
  command
    .command('check')
    .argument('<exercise>', 'its number', exerciseOf)
    .description('judge the files in ./exercise-NN; exit code 0: solved, 1: not solved, 3: unknown')
    .option('--max <n>', 'schedules of each circumstance', whole(1, 1_000_000), MAX_SCHEDULES)
    .option('--workers <n>', 'worker threads', whole(1, 8), 2)
    .addOption(languageOption())
    .action((exercise: Exercise, options: CheckOptions) =>
      runCommand((context) => check(exercise, options, context)),
    );
  command
    .command('hint')
    .argument('<exercise>', 'its number', exerciseOf)
    .description('print the next hint')
    .addOption(languageOption())
    .action((exercise: Exercise, { lang }: LanguageOptions) => {
      asUsage(() => {
        const folder = folderOf(exercise, '');
        const language = lang ?? readState(exercise, folder).language;
        const { text, number, of } = nextHint(exercise, folder, language);
        process.stdout.write(`${language === 'en' ? 'Hint' : '提示'} ${number}/${of}\n\n${wrapWide(text)}\n`);
      });
    });
  command
    .command('reset')
    .argument('<exercise>', 'its number', exerciseOf)
    .description('restore the files to edit; your version is kept as .bak')
    .action((exercise: Exercise) => {
      asUsage(() => {
        const kept = resetExercise(exercise, folderOf(exercise, ''));
        const where = kept.length === 0 ? 'nothing had changed' : `your version is ${kept.join(', ')}`;
        process.stdout.write(`restored ${folderOf(exercise, '')}: ${where}\n`);
      });
    });
}

function exerciseOf(name: string): Exercise {
  const found = findExercise(name);
  if (found === undefined)
    throw new Failure(
      `there is no exercise "${name}": "npx lab exercise list" lists all ${EXERCISES.length}`,
      EXIT.usage,
    );
  return found;
}

/** Runs what may fail with an `ExerciseError`, which is a failure of use. */
function asUsage<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof ExerciseError) throw new Failure(error.message, EXIT.usage, { cause: error });
    throw error;
  }
}

function list(language: Language): void {
  const lines = EXERCISES.map((exercise) => {
    const { title, minutes } = readPage(exercise, language);
    const time = language === 'en' ? `${minutes} min` : `${minutes} 分钟`;
    return `${exercise.number}  ${exercise.id.slice(3).padEnd(18)} ${time.padStart(6)}  ${title}`;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
}

function start(exercise: Exercise, { lang, seed = String(randomInt(1, 1000)) }: StartOptions): void {
  const language = chosenLanguage(lang);
  const folder = folderOf(exercise, '');
  startExercise(exercise, folder, { language, seed });
  const { title, minutes } = readPage(exercise, language);
  const { number, task } = exercise;
  const chosen = task.kind === 'bug' ? ` (--seed ${seed})` : '';
  process.stdout.write(
    language === 'en'
      ? `${title} (${minutes} minutes)${chosen}\nread ${join(folder, 'task.md')}, then: npx lab exercise check ${number}\n`
      : `${title}（${minutes} 分钟）${chosen}\n先读 ${join(folder, 'task.md')}，做完后运行：npx lab exercise check ${number}\n`,
  );
}

const EXITS = { solved: EXIT.ok, 'not-solved': EXIT.notAsExpected, unknown: EXIT.unknown } as const;

async function check(exercise: Exercise, options: CheckOptions, context: Context): Promise<number> {
  const { progress, signal, onEnd } = context;
  const folder = folderOf(exercise, '');
  const state = asUsage(() => readState(exercise, folder));
  const language = options.lang ?? state.language;
  const file = 'file' in exercise.task ? join(folder, exercise.task.file) : undefined;
  // before the servers start
  asUsage(() => {
    requireFiles(exercise, folder);
  });
  if (file !== undefined) loadOwn(file);
  const { pool, stop } = await openExplorer(context, options.workers, []);
  onEnd(stop);
  const checked = await checkExercise(exercise, folder, state.seed, {
    pool,
    load: (path) => {
      const own = loadOwn(path);
      return 'definition' in own ? own : own.strategy;
    },
    max: options.max,
    signal,
    onProgress: (schedules) => {
      progress.update(schedulesText(schedules, language));
    },
  }).catch((error: unknown) => {
    if (error instanceof ExerciseError || error instanceof NotExplorable)
      throw new Failure(error.message, EXIT.usage, { cause: error });
    throw error;
  });
  progress.clear();
  const outcome = outcomeOf(checked);
  const replayWith = file === undefined ? '' : ` --with ${relative('', file)}`;
  process.stdout.write(
    `${printChecked(checked, language, replayWith)}\n\n${wrapWide(OUTCOMES[language][outcome])}\n`,
  );
  const next = EXERCISES.find(({ number }) => number === exercise.number + 1);
  if (outcome === 'solved' && next !== undefined)
    process.stdout.write(
      `${language === 'en' ? 'Next: ' : '下一个：'}npx lab exercise start ${next.number}\n`,
    );
  return EXITS[outcome];
}
