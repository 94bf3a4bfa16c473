import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { DAYS_IN_BOX, type Cards } from './spaced-repetition';

const Content = z.strictObject({
  version: z.literal(1),
  cards: z.record(
    z.string().regex(/^[1-9]\d{0,3}$/),
    z.strictObject({ box: z.int().min(1).max(DAYS_IN_BOX.length), answered: z.iso.date() }),
  ),
});

/** A file that is no list of answered questions. It is left as it is. */
export class BrokenCardsFile extends Error {
  constructor(file: string, why: string, options?: ErrorOptions) {
    super(
      `${file} is not a file of answered questions (${why}). It was not changed: repair it, remove it or choose another one`,
      options,
    );
    this.name = 'BrokenCardsFile';
  }
}

/** The answered questions; none when there is no file. @throws BrokenCardsFile */
export function readCards(file: string): Cards {
  if (!existsSync(file)) return {};
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new BrokenCardsFile(file, oneLine(error instanceof Error ? error.message : String(error)), {
      cause: error,
    });
  }
  const parsed = Content.safeParse(content);
  if (!parsed.success) throw new BrokenCardsFile(file, oneLine(z.prettifyError(parsed.error)));
  return Object.fromEntries(
    Object.entries(parsed.data.cards).map(([number, card]) => [Number(number), card]),
  );
}

/** Replaces the file as a whole: a reader never reads a partial file, not even after a crash. */
export function writeCards(file: string, cards: Cards): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, `${JSON.stringify({ version: 1, cards }, null, 2)}\n`);
  renameSync(draft, file);
}

const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');
