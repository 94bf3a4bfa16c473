import type { Language } from '#lab/verdict';
import type { SectionName } from './sections';

/** A command of a lesson, with what it printed when the lesson was written. */
export interface LessonCommand {
  /** `npx lab …`, on one line. */
  readonly command: string;
  /** Part of every test run, because it ends within seconds. */
  readonly isQuick: boolean;
  readonly exitCode: number;
  /** Lines of the output; `…` stands for any text, and on a line of its own for any lines. Absent: only the exit code counts. */
  readonly output?: readonly string[];
}

/** A lesson of walkthroughs/LANGUAGE/NN-name.md. */
export interface Lesson {
  readonly language: Language;
  /** The name of its file, for example `04-expiry`. */
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly minutes: number;
  /** The strategies of the catalogue that this lesson explains. */
  readonly strategies: readonly string[];
  /** Goals of the console that belong to it. */
  readonly goals: readonly string[];
  /** Markdown of each section. */
  readonly sections: Readonly<Record<SectionName, string>>;
  readonly commands: readonly LessonCommand[];
  /** The page as Markdown, without its front matter. */
  readonly text: string;
}

/** A page under walkthroughs/ that is not written as documented. The message names the page and what to change. */
export class CourseSyntaxError extends Error {
  constructor(page: string, what: string) {
    super(`${page}: ${what}`);
    this.name = 'CourseSyntaxError';
  }
}
