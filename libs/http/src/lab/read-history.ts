import { filesOfReplica, replicaOfFile, type HistoryLine, type RequestLine } from '#lab/step';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';

/**
 * The history of one balance since its last reset, merged from the files of all replicas, ordered by time. Includes the
 * lines about processes (starts, exits, pauses), which prove faults. Where a replica has dropped lines since that reset, its
 * last `rotated` line says so. Does not read older chunks: a lab may run for days.
 */
export async function readHistory(dir: string, balance: string): Promise<HistoryLine[]> {
  const files = await openFiles(dir);
  try {
    const resets = await Promise.all(files.map((file) => lastReset(file, balance)));
    const resetAt = Math.max(-Infinity, ...resets);
    const lines = (await Promise.all(files.map((file) => linesSince(file, resetAt)))).flat();
    const since = lines.sort((a, b) => a.t - b.t);
    const requests = new Set(
      since.flatMap((line) => (line.type === 'request' && concerns(line, balance) ? [line.request] : [])),
    );
    return since.filter((line) => {
      if (line.type === 'rotated') return line.droppedUntil !== null && line.droppedUntil >= resetAt;
      if ('request' in line) return requests.has(line.request);
      return !('balance' in line) || line.balance === balance;
    });
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
async function linesSince(file: FileHandle, from: number): Promise<HistoryLine[]> {
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
async function* chunksFromTheEnd(file: FileHandle): AsyncGenerator<string[]> {
  let partial = Buffer.alloc(0); // the end of a line that begins in the chunk before
  for (let end = (await file.stat()).size; end > 0;) {
    const begin = Math.max(0, end - CHUNK);
    const { buffer } = await file.read(Buffer.alloc(end - begin), 0, end - begin, begin);
    const bytes = Buffer.concat([buffer, partial]);
    const first = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    partial = begin > 0 && first === 0 ? bytes : bytes.subarray(0, first);
    if (begin === 0 || first > 0) yield bytes.subarray(first).toString('utf8').split('\n').filter(Boolean);
    end = begin;
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
