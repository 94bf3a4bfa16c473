import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { monotonic, type RotatedLine } from './history';

/** The names of a replica's files in the history folder. */
const currentOf = (replica: string): string => `${replica}.jsonl`;
const previousOf = (replica: string): string => `${replica}.previous.jsonl`;

/** The replica of a history file; undefined: it is no history file. */
export const replicaOfFile = (name: string): string | undefined =>
  /^(.+?)(?:\.previous)?\.jsonl$/.exec(name)?.[1];

/** The files of one replica: the current one, and the one before the last rotation. */
export const filesOfReplica = (
  dir: string,
  replica: string,
): { readonly current: string; readonly previous: string } => ({
  current: join(dir, currentOf(replica)),
  previous: join(dir, previousOf(replica)),
});

/**
 * The history of one replica on disk: a current and a previous file, each at most half of the limit. When the current file is
 * full it becomes the previous one, whose lines are dropped. Every file except the first begins with a `rotated` line, which
 * tells what was dropped so far. Only one process may rotate the files of a replica; others may append to the current one.
 */
export class HistoryFile {
  private file: number;
  private size: number;
  /** The first line of the current file; undefined: the files were never rotated. */
  private header: RotatedLine | undefined;
  private readonly paths: ReturnType<typeof filesOfReplica>;
  private readonly next: string;

  constructor(
    private readonly dir: string,
    private readonly replica: string,
    /** Bytes of both files together; Infinity: this process never rotates them. */
    private readonly limitBytes: number,
  ) {
    mkdirSync(dir, { recursive: true });
    this.paths = filesOfReplica(dir, replica);
    this.next = join(dir, `${replica}.next`);
    if (this.rotates) this.finishRotation();
    this.file = openSync(this.paths.current, 'a');
    this.size = fstatSync(this.file).size;
    this.header = this.rotates ? readHeader(this.paths.current) : undefined;
  }

  append(text: string): void {
    if (this.size + text.length > this.limitBytes / 2 && this.sizeOnDisk() > 0) this.rotate();
    this.size += writeSync(this.file, text);
  }

  /** Called when a run begins: rotates when less than half of the current file is free. */
  makeRoom(): void {
    if (this.sizeOnDisk() > this.limitBytes / 4) this.rotate();
  }

  close(): void {
    closeSync(this.file);
  }

  private get rotates(): boolean {
    return this.limitBytes !== Infinity;
  }

  /** Another process may have appended lines or truncated the file. */
  private sizeOnDisk(): number {
    return (this.size = fstatSync(this.file).size);
  }

  /** The new file exists, with its first line, before the old one is dropped: a drop is never unsaid. */
  private rotate(): void {
    const { current, previous } = this.paths;
    const dropped = sizeOf(previous);
    const before = this.header;
    this.header = {
      type: 'rotated',
      t: monotonic(),
      replica: this.replica,
      pid: process.pid,
      at: new Date().toISOString(),
      droppedBytes: (before?.droppedBytes ?? 0) + dropped,
      // the previous file was closed when the current one began
      droppedUntil: dropped > 0 ? (before?.t ?? monotonic()) : (before?.droppedUntil ?? null),
    };
    writeFileSync(this.next, `${JSON.stringify(this.header)}\n`);
    renameSync(current, previous);
    renameSync(this.next, current);
    closeSync(this.file);
    this.file = openSync(current, 'a');
    this.sizeOnDisk();
  }

  /** A process that was killed between the two renames has left a new file, and no current one. */
  private finishRotation(): void {
    if (sizeOf(this.next) === 0) return;
    if (sizeOf(this.paths.current) === 0) renameSync(this.next, this.paths.current);
    else rmSync(this.next);
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const LONGEST_HEADER = 1024;

function readHeader(path: string): RotatedLine | undefined {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(LONGEST_HEADER);
    const length = readSync(file, bytes, 0, LONGEST_HEADER, 0);
    const [first = ''] = bytes.toString('utf8', 0, length).split('\n');
    const line = JSON.parse(first) as { type?: unknown };
    return line.type === 'rotated' ? (line as RotatedLine) : undefined;
  } catch {
    return undefined; // an empty file, or a first line that is longer than a header
  } finally {
    closeSync(file);
  }
}
