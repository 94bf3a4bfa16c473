import type { HistoryLine, RequestLine } from '#lab/step';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The history of one balance since its last reset, merged from the files of all replicas, ordered by time. Includes the
 * lines about processes (starts, exits, pauses), which prove faults. Does not read older chunks: a lab may run for days.
 */
export async function readHistory(dir: string, balance: string): Promise<HistoryLine[]> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
  const files = names.map((name) => join(dir, name));
  const resets = await Promise.all(files.map((file) => lastReset(file, balance)));
  const resetAt = Math.max(-Infinity, ...resets);
  const lines = (await Promise.all(files.map((file) => linesSince(file, resetAt)))).flat();
  const since = lines.sort((a, b) => a.t - b.t);
  const requests = new Set(
    since.flatMap((line) => (line.type === 'request' && concerns(line, balance) ? [line.request] : [])),
  );
  return since.filter((line) => {
    if ('request' in line) return requests.has(line.request);
    return !('balance' in line) || line.balance === balance;
  });
}

const concerns = ({ balance: first, cart }: RequestLine, balance: string): boolean =>
  first === balance || cart?.some((line) => line.balance === balance) === true;

/** Time of the last reset of the balance in this file; -Infinity: none. */
async function lastReset(file: string, balance: string): Promise<number> {
  for await (const chunk of chunksFromTheEnd(file)) {
    const resets = chunk.filter((text) => text.includes('"reset"')).flatMap(parse);
    const reset = resets.findLast((line) => line.type === 'reset' && line.balance === balance);
    if (reset !== undefined) return reset.t;
  }
  return -Infinity;
}

/**
 * The lines of this file with `t` ≥ `from`. A step's line is written when the step ends, so that lines are not strictly
 * ordered by `t`; but a whole chunk of earlier lines means that there are no more.
 */
async function linesSince(file: string, from: number): Promise<HistoryLine[]> {
  const chunks: HistoryLine[][] = [];
  for await (const chunk of chunksFromTheEnd(file)) {
    const since = chunk.flatMap(parse).filter(({ t }) => t >= from);
    if (since.length === 0 && chunk.length > 0) break;
    chunks.unshift(since);
  }
  return chunks.flat();
}

/** Bytes: some thousand lines. */
const CHUNK = 1 << 20;
const NEWLINE = 0x0a;

/** The complete lines of a file in chunks, the last chunk first. */
async function* chunksFromTheEnd(file: string): AsyncGenerator<string[]> {
  const handle = await open(file);
  try {
    let partial = Buffer.alloc(0); // the end of a line that begins in the chunk before
    for (let end = (await handle.stat()).size; end > 0;) {
      const begin = Math.max(0, end - CHUNK);
      const { buffer } = await handle.read(Buffer.alloc(end - begin), 0, end - begin, begin);
      const bytes = Buffer.concat([buffer, partial]);
      const first = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
      partial = begin > 0 && first === 0 ? bytes : bytes.subarray(0, first);
      if (begin === 0 || first > 0) yield bytes.subarray(first).toString('utf8').split('\n').filter(Boolean);
      end = begin;
    }
  } finally {
    await handle.close();
  }
}

/** Skips an incomplete line: the last one of a file whose writer was killed. */
function parse(text: string): HistoryLine[] {
  try {
    return [JSON.parse(text) as HistoryLine];
  } catch {
    return [];
  }
}
