import type { Language } from '#lab/verdict';
import { projectRoot } from '#lab/stack';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lesson } from './lesson';
import { readLesson } from './read-lesson';

const folderOf = (language: Language): string => join(projectRoot(), 'walkthroughs', language);

/** All lessons of a language, in order; none in a package without walkthroughs/. */
export const readLessons = (language: Language): Lesson[] =>
  (existsSync(folderOf(language)) ? readdirSync(folderOf(language)) : [])
    .filter((name) => /^\d\d-[a-z0-9-]+\.md$/.test(name))
    .sort()
    .map((name) =>
      readLesson(language, name.replace(/\.md$/, ''), readFileSync(join(folderOf(language), name), 'utf8')),
    );

/** The lesson with this number or id, for example `4`, `04` or `04-expiry`; undefined: there is none. */
export const findLesson = (lessons: readonly Lesson[], name: string): Lesson | undefined =>
  lessons.find(({ id, number }) => id === name || (/^\d+$/.test(name) && number === Number(name)));

/** The lesson that explains a strategy; undefined: none does. */
export const lessonOf = (lessons: readonly Lesson[], strategy: string): Lesson | undefined =>
  lessons.find(({ strategies }) => strategies.includes(strategy));

/** The file of a slide that `npx lab lesson --slides` drew, by the number of its schedule; undefined: the lesson has no such schedule. */
export function slideOf({ language, id }: Lesson, number: number): string | undefined {
  const file = join(folderOf(language), 'img', `${id}-${number}.svg`);
  return existsSync(file) ? file : undefined;
}
