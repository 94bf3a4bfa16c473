import type { HistoryLine, RequestLine } from '#lab/step';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The history of one balance since its last reset, from the files of all replicas, by time. Lines about processes
 * (starts, exits, pauses) are kept: a fault is proved by them.
 */
export async function readHistory(dir: string, balance: string): Promise<HistoryLine[]> {
  const files = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(files.map((name) => readFile(join(dir, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').flatMap(parse)).sort((a, b) => a.t - b.t);
  const resetAt = lines.findLast((line) => line.type === 'reset' && line.balance === balance)?.t ?? -Infinity;
  const since = lines.filter(({ t }) => t >= resetAt);
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

/** The last line of a file whose writer was killed may be cut short: it is left out. */
function parse(text: string): HistoryLine[] {
  try {
    return [JSON.parse(text) as HistoryLine];
  } catch {
    return [];
  }
}
