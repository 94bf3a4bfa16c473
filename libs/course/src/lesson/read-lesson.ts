import type { Language } from '#lab/verdict';
import { parse } from 'yaml';
import { z } from 'zod';
import { codeBlocks, sectionsOf, titleOf } from '../markdown';
import { CourseSyntaxError, type Lesson, type LessonCommand } from './lesson';
import { HEADINGS, SECTIONS, type SectionName } from './sections';

const FrontMatter = z.strictObject({
  minutes: z.int().min(5).max(20),
  strategies: z.array(z.string()),
  goals: z.array(z.string()),
});

/**
 * Reads a lesson from its Markdown.
 * @param id the name of its file without extension, for example `04-expiry`
 * @throws CourseSyntaxError when a part is missing or unknown
 */
export function readLesson(language: Language, id: string, markdown: string): Lesson {
  const page = `walkthroughs/${language}/${id}.md`;
  const [, head, text] = /^---\n([^]*?)\n---\n([^]*)$/.exec(markdown) ?? [];
  if (head === undefined || text === undefined)
    throw new CourseSyntaxError(page, 'it must begin with minutes, strategies and goals between --- and ---');
  const front = FrontMatter.safeParse(parse(head));
  if (!front.success) throw new CourseSyntaxError(page, z.prettifyError(front.error));
  const title = titleOf(text);
  if (title === undefined) throw new CourseSyntaxError(page, 'it has no title (# …)');
  return {
    language,
    id,
    number: Number.parseInt(id, 10),
    title: title.replace(/^\d+\.\s*/, ''),
    ...front.data,
    sections: readSections(page, language, text),
    commands: readCommands(page, text),
    text,
  };
}

function readSections(page: string, language: Language, text: string): Record<SectionName, string> {
  const found = sectionsOf(text);
  const wanted = SECTIONS.map((name) => HEADINGS[language][name]);
  const titles = found.map(({ title }) => title);
  if (titles.join('|') !== wanted.join('|'))
    throw new CourseSyntaxError(
      page,
      `its sections are ${titles.join(', ') || 'missing'}; they must be ${wanted.join(', ')}`,
    );
  return Object.fromEntries(SECTIONS.map((name, i) => [name, found[i]?.text ?? ''])) as Record<
    SectionName,
    string
  >;
}

/** Each block `sh` is one command; a block `text` after it is its output. */
function readCommands(page: string, text: string): LessonCommand[] {
  const blocks = codeBlocks(text);
  return blocks.flatMap((block, i) => {
    if (block.language !== 'sh') return [];
    const next = blocks[i + 1];
    const command = block.text.replace(/\\\n\s*/g, '');
    if (!/^npx lab \S[^\n]*$/.test(command))
      throw new CourseSyntaxError(page, `a block sh contains one command "npx lab …", not "${command}"`);
    return [
      {
        command,
        ...readAttributes(page, block.attributes),
        ...(next?.language === 'text' && { output: next.text.split('\n') }),
      },
    ];
  });
}

function readAttributes(
  page: string,
  attributes: readonly string[],
): Pick<LessonCommand, 'isQuick' | 'exitCode'> {
  let exitCode = 0;
  let isQuick = false;
  for (const attribute of attributes) {
    const [, code] = /^exit=(\d)$/.exec(attribute) ?? [];
    if (code !== undefined) exitCode = Number(code);
    else if (attribute === 'quick') isQuick = true;
    else
      throw new CourseSyntaxError(
        page,
        `a command has the unknown attribute "${attribute}": use quick or exit=N`,
      );
  }
  return { isQuick, exitCode };
}
