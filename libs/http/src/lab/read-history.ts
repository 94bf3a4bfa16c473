import type { HistoryLine, RequestLine } from '#lab/step';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The history of one balance since its last reset, from the files of all replicas, by time. Lines about processes
 * (starts, exits, pauses) are kept: a fault is proved by them. What was before is not read: a lab may be up for days.
 */
export async function readHistory(dir: string, balance: string): Promise<HistoryLine[]> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
  const files = names.map((name) => join(dir, name));
  const resets = await Promise.all(files.map((file) => lastReset(file, balance)));
  const resetAt = Math.max(-Infinity, ...resets);
  const lines = (await Promise.all(files.map((file) => linesSince(file, resetAt)))).flat();
  const since = lines.sort((a, b) => a.t - b.t);
  const requests = new Set(
    since.flatMap((line) => (line.type === 'request' && wants(line, balance) ? [line.request] : [])),
  );
  return since.filter((line) => {
    if ('request' in line) return requests.has(line.request);
    return !('balance' in line) || line.balance === balance;
  });
}

const wants = ({ balance: first, cart }: RequestLine, balance: string): boolean =>
  first === balance || cart?.some((line) => line.balance === balance) === true;

/** When the balance was last reset, by what this file says of it. */
async function lastReset(file: string, balance: string): Promise<number> {
  for await (const piece of piecesFromTheEnd(file)) {
    const told = piece.filter((text) => text.includes('"reset"')).flatMap(parse);
    const reset = told.findLast((line) => line.type === 'reset' && line.balance === balance);
    if (reset !== undefined) return reset.t;
  }
  return -Infinity;
}

/**
 * The lines of this file that begin then or later. A line is written when its step has ended, so that some that begin earlier stand
 * behind some that begin later; but a whole piece of such lines is the end of it.
 */
async function linesSince(file: string, from: number): Promise<HistoryLine[]> {
  const pieces: HistoryLine[][] = [];
  for await (const piece of piecesFromTheEnd(file)) {
    const since = piece.flatMap(parse).filter(({ t }) => t >= from);
    if (since.length === 0 && piece.length > 0) break;
    pieces.unshift(since);
  }
  return pieces.flat();
}

/** Bytes: some thousand lines. */
const PIECE = 1 << 20;
const NEWLINE = 0x0a;

/** The whole lines of a file, a piece at a time, the last piece first. */
async function* piecesFromTheEnd(file: string): AsyncGenerator<string[]> {
  const handle = await open(file);
  try {
    let cut = Buffer.alloc(0); // begins in the piece before
    for (let end = (await handle.stat()).size; end > 0;) {
      const begin = Math.max(0, end - PIECE);
      const { buffer } = await handle.read(Buffer.alloc(end - begin), 0, end - begin, begin);
      const bytes = Buffer.concat([buffer, cut]);
      const first = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
      cut = begin > 0 && first === 0 ? bytes : bytes.subarray(0, first);
      if (begin === 0 || first > 0) yield bytes.subarray(first).toString('utf8').split('\n').filter(Boolean);
      end = begin;
    }
  } finally {
    await handle.close();
  }
}

/** The last line of a file whose writer was killed may be cut short: it is left out. */
function parse(text: string): HistoryLine[] {
  try {
    return [JSON.parse(text) as HistoryLine];
  } catch {
    return [];
  }
}
