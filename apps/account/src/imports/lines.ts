import { entry, type EntryRequest } from '../schemas';
import { z } from 'zod';

/** Maximum length of a line, bytes. */
export const LONGEST_LINE = 1024;

/**
 * One line of a batch: its entry, or why it is invalid. Lines are numbered from 1; empty ones are numbered and skipped.
 */
export type ImportLine = { readonly line: number } & (
  { readonly wanted: EntryRequest } | { readonly error: string }
);

const NEWLINE = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses newline-delimited JSON as it arrives. Buffers at most one line; one that is too long is discarded and reported as
 * an error.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<ImportLine> {
  let rest = Buffer.alloc(0);
  let isTooLong = false;
  let line = 0;
  const finish = (end: Buffer): ImportLine | undefined => {
    const bytes = Buffer.concat([rest, end]);
    const tooLong = isTooLong || bytes.length > LONGEST_LINE;
    rest = Buffer.alloc(0);
    isTooLong = false;
    return readLine(++line, tooLong ? undefined : bytes);
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      const read = finish(chunk.subarray(from, to));
      if (read !== undefined) yield read;
      from = to + 1;
    }
    const left = chunk.length - from;
    isTooLong ||= rest.length + left > LONGEST_LINE;
    rest = isTooLong ? Buffer.alloc(0) : Buffer.concat([rest, chunk.subarray(from)]);
  }
  if (rest.length > 0 || isTooLong) {
    const read = finish(Buffer.alloc(0));
    if (read !== undefined) yield read;
  }
}

function readLine(line: number, bytes: Buffer | undefined): ImportLine | undefined {
  if (bytes === undefined) return { line, error: `longer than ${LONGEST_LINE} bytes` };
  let value: unknown;
  try {
    const text = utf8.decode(bytes).trim();
    if (text === '') return undefined;
    value = JSON.parse(text);
  } catch (error) {
    return { line, error: error instanceof SyntaxError ? 'not JSON' : 'not UTF-8' };
  }
  const parsed = entry.safeParse(value);
  if (parsed.success) return { line, wanted: parsed.data };
  return { line, error: z.prettifyError(parsed.error).replaceAll('\n', ' ').slice(0, 300) };
}
