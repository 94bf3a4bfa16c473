import {
  filesOfReplica,
  replicaOfFile,
  type DecisionLine,
  type HistoryLine,
  type RequestLine,
} from '#lab/step';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';

/**
 * The history of one balance since its last reset, merged from the files of all replicas, ordered by time. Includes the
 * lines about processes (starts, exits, pauses), which prove faults. Where a replica has dropped lines since that reset, its
 * last `rotated` line says so. Does not read older chunks: a lab may run for days. Returns the lines as they were written: a run
 * of 50,000 orders has 700,000, and to parse all of them takes longer than to find those of the balance.
 */
export async function readHistory(dir: string, balance: string): Promise<string[]> {
  const files = await openFiles(dir);
  try {
    const resets = await Promise.all(files.map((file) => lastReset(file, balance)));
    const resetAt = Math.max(-Infinity, ...resets);
    const lines = (await Promise.all(files.map((file) => linesSince(file, resetAt)))).flat();
    const since = lines.sort((a, b) => a.t - b.t);
    const requests = new Set(
      since.flatMap(({ parsed }) =>
        parsed?.type === 'request' && concerns(parsed, balance) ? [parsed.request] : [],
      ),
    );
    const isWanted = ({ request, parsed }: Entry): boolean => {
      if (request !== undefined) return requests.has(request);
      if (parsed?.type === 'rotated') return parsed.droppedUntil !== null && parsed.droppedUntil >= resetAt;
      return parsed === undefined || !('balance' in parsed) || parsed.balance === balance;
    };
    return since.filter(isWanted).map(({ text }) => text);
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

/** The decisions of rate limiters about a client, from the files of all replicas, ordered by time. */
export async function readDecisions(dir: string, client: string): Promise<DecisionLine[]> {
  const files = await openFiles(dir);
  try {
    const found: DecisionLine[] = [];
    for (const file of files)
      for await (const chunk of chunksFromTheEnd(file))
        for (const { parsed } of chunk.filter((text) => text.includes('"decision"')).flatMap(entryOf))
          if (parsed?.type === 'decision' && parsed.client === client) found.push(parsed);
    return found.sort((a, b) => a.t - b.t);
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

/** Opens all files before one is read: an open file keeps its lines when it is rotated or dropped meanwhile. */
async function openFiles(dir: string): Promise<FileHandle[]> {
  const names = await readdir(dir).catch(() => []);
  const replicas = new Set(names.flatMap((name) => replicaOfFile(name) ?? []));
  return (await Promise.all([...replicas].map((replica) => openBoth(filesOfReplica(dir, replica))))).flat();
}

/** Opens the current and the previous file of a replica, again if they were rotated between the two. */
async function openBoth({ current, previous }: ReturnType<typeof filesOfReplica>): Promise<FileHandle[]> {
  for (;;) {
    const before = await inodeOf(current);
    const files = (await Promise.all([current, previous].map(openIfExists))).filter(
      (file) => file !== undefined,
    );
    if ((await inodeOf(current)) === before) return files;
    await Promise.all(files.map((file) => file.close()));
  }
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const inodeOf = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.ino;

const concerns = ({ balance: first, cart }: RequestLine, balance: string): boolean =>
  first === balance || cart?.some((line) => line.balance === balance) === true;

/** Time of the last reset of the balance in this file; -Infinity: none. */
async function lastReset(file: FileHandle, balance: string): Promise<number> {
  for await (const chunk of chunksFromTheEnd(file)) {
    const resets = chunk.filter((text) => text.includes('"reset"')).flatMap(entryOf);
    const reset = resets.findLast(({ parsed }) => parsed?.type === 'reset' && parsed.balance === balance);
    if (reset !== undefined) return reset.t;
  }
  return -Infinity;
}

/**
 * The lines of this file with `t` ≥ `from`. A step's line is written when the step ends, so that lines are not strictly
 * ordered by `t`; but a whole chunk of earlier lines means that there are no more.
 */
async function linesSince(file: FileHandle, from: number): Promise<Entry[]> {
  const chunks: Entry[][] = [];
  for await (const chunk of chunksFromTheEnd(file)) {
    const since = chunk.flatMap(entryOf).filter(({ t }) => t >= from);
    if (since.length === 0 && chunk.length > 0) break;
    chunks.unshift(since);
  }
  return chunks.flat();
}

/** Bytes: some thousand lines. */
const CHUNK = 1 << 20;
const NEWLINE = 0x0a;

/** The complete lines of a file in chunks, the last chunk first. */
async function* chunksFromTheEnd(file: FileHandle): AsyncGenerator<string[]> {
  let partial = Buffer.alloc(0); // the end of a line that begins in the chunk before
  for (let end = (await file.stat()).size; end > 0;) {
    const begin = Math.max(0, end - CHUNK);
    const { buffer } = await file.read(Buffer.alloc(end - begin), 0, end - begin, begin);
    const bytes = Buffer.concat([buffer, partial]);
    const first = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    partial = begin > 0 && first === 0 ? bytes : bytes.subarray(0, first);
    if (begin === 0 || first > 0) {
      const lines = bytes.subarray(first).toString('utf8').split('\n');
      const last = lines.pop() ?? ''; // behind the last newline: empty, or a line that is incomplete
      yield lines.concat(isComplete(last) ? last : []);
    }
    end = begin;
  }
}

function isComplete(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** A line of a file, with what the reading needs to know of it. */
interface Entry {
  readonly t: number;
  readonly text: string;
  readonly request?: string;
  /** undefined: a step or an outcome. */
  readonly parsed?: HistoryLine;
}

/** The beginning of a step or an outcome, as a `Recorder` writes it: no other line has these types or this order. */
const FREQUENT = /^\{"t":(\d+),"type":"(?:step|outcome)",/;
const REQUEST = /"request":"([\w.-]+)"/;

/** Empty for an incomplete line: the last one of a file whose writer was killed. */
function entryOf(text: string): Entry[] {
  const t = FREQUENT.exec(text)?.[1];
  const request = REQUEST.exec(text)?.[1];
  if (t !== undefined && request !== undefined && isWhole(text)) return [{ t: Number(t), text, request }];
  try {
    const parsed = JSON.parse(text) as HistoryLine;
    return [{ t: parsed.t, text, parsed, ...('request' in parsed && { request: parsed.request }) }];
  } catch {
    return [];
  }
}

/** One line that ends, and no incomplete line with the next one appended to it. When in doubt, the line is parsed. */
const isWhole = (text: string): boolean => text.endsWith('}') && !text.includes('{"t":', 1);
