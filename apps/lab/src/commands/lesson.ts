import type { Language } from '#lab/verdict';
import { checkLesson, findLesson, readLessons, type Lesson } from '#lab/course';
import { Option, type Command } from 'commander';
import { runCommand, writeJson, type Context } from '../command';
import { EXIT, Failure } from '../failure';
import { chosenLanguage, languageOption } from '../language';
import { printLesson, printLessons } from '../print/lesson';
import { writeSlides } from '../lesson-slides';
import { wrap } from '../print/wrap';

interface LessonOptions {
  readonly lang?: Language;
  readonly answers?: true;
  readonly check?: true;
  readonly quick?: boolean;
  readonly slides?: string;
  readonly json?: string;
}

export function register(program: Command): void {
  program
    .command('lesson')
    .argument('[lessons...]', 'numbers or names, such as 4 or 04-expiry (all)')
    .description('print a lesson, or run its commands and compare what they print')
    .addOption(languageOption())
    .option('--answers', 'also print the answers to its questions')
    .option('--check', 'run all commands of the lessons, and compare exit codes and output')
    .option('--quick', 'with --check: only the commands that end within seconds')
    .addOption(
      new Option(
        '--slides <folder>',
        'replay the schedules of the lessons, and write each as an SVG image',
      ).conflicts(['check', 'answers', 'json']),
    )
    .option('--json <file>', 'write the lessons, or the result of --check, as JSON')
    .action((names: readonly string[], options: LessonOptions) => {
      const language = chosenLanguage(options.lang);
      const lessons = chosenLessons(names, language);
      if (options.check === true) return runCommand((context) => checkLessons(lessons, options, context));
      const { slides } = options;
      if (slides !== undefined) return runCommand((context) => writeSlides(lessons, slides, context));
      if (options.json !== undefined) writeJson(options.json, lessons);
      const text =
        names.length === 0
          ? printLessons(lessons, language)
          : lessons.map((lesson) => printLesson(lesson, options.answers === true)).join('\n\n');
      process.stdout.write(`${text}\n`);
      return undefined;
    });
}

function chosenLessons(names: readonly string[], language: Language): Lesson[] {
  const lessons = readLessons(language);
  if (names.length === 0) return lessons;
  return names.map((name) => {
    const lesson = findLesson(lessons, name);
    if (lesson === undefined)
      throw new Failure(
        `there is no lesson "${name}": "npx lab lesson" lists all ${lessons.length}`,
        EXIT.usage,
      );
    return lesson;
  });
}

/** Runs the commands of the lessons one after the other; ends with 1 when one of them differs. */
async function checkLessons(
  lessons: readonly Lesson[],
  { quick = false, json }: LessonOptions,
  { progress, signal }: Context,
): Promise<number> {
  const results: { lesson: string; command: string; differs?: string }[] = [];
  for (const lesson of lessons) {
    progress.update(`lesson ${lesson.id}`);
    for await (const { command, differs } of checkLesson(lesson, { quick, signal })) {
      results.push({
        lesson: lesson.id,
        command: command.command,
        ...(differs !== undefined && { differs }),
      });
      progress.clear();
      const line = `${differs === undefined ? '✓' : '✗'} ${lesson.id}: ${command.command}`;
      process.stdout.write(`${wrap(differs === undefined ? line : `${line}: ${differs}`, 2)}\n`);
      progress.update(`lesson ${lesson.id}`);
    }
  }
  progress.clear();
  const different = results.filter(({ differs }) => differs !== undefined).length;
  process.stdout.write(`${results.length - different} of ${results.length} commands as in the lessons\n`);
  if (json !== undefined) writeJson(json, results);
  if (results.length === 0) return EXIT.unknown;
  return different === 0 ? EXIT.ok : EXIT.notAsExpected;
}
