import { codeOf, messageOf } from './errors';
import { HistoryFile } from './history-file';
import { lockEffect, requestedEffect } from './lock';
import { monotonic, type HistoryLine, type RequestLine, type StepLine } from './history';
import type { Listener, Step } from './step';

type Unsigned<T> = T extends HistoryLine ? Omit<T, 'replica' | 'pid' | 't'> & { t?: number } : never;

export interface RecorderOptions {
  /** The observed process, where that is not this one. */
  readonly pid?: number;
  /** Size of the files of this replica at which the oldest lines are dropped; default: this process drops none. */
  readonly limitBytes?: number;
}

/**
 * Appends the history of one process to `<dir>/<replica>.jsonl`. Lines are buffered during a turn of the event loop and
 * written together; `flush` writes immediately, for a process that is about to be killed.
 */
export class Recorder {
  private readonly file: HistoryFile;
  private readonly pid: number;
  private readonly pending = new Set<StepLine>();
  private lines: string[] = [];

  constructor(
    dir: string,
    private readonly replica: string,
    { pid = process.pid, limitBytes = Infinity }: RecorderOptions = {},
  ) {
    this.pid = pid;
    this.file = new HistoryFile(dir, replica, limitBytes);
  }

  /** Adds one line; `t` defaults to now. */
  note(line: Unsigned<HistoryLine>): void {
    if (this.lines.length === 0)
      setImmediate(() => {
        this.flush();
      });
    this.lines.push(JSON.stringify({ t: monotonic(), ...line, replica: this.replica, pid: this.pid }));
  }

  /** Records the start of a request and returns the listener that records its steps. */
  request(line: Omit<RequestLine, 'type' | 't' | 'replica' | 'pid'>): Listener {
    this.note({ type: 'request', ...line });
    let n = 0;
    return async (step, issue) => {
      const issued = { ...this.stepLine(step, line.request, ++n) };
      this.pending.add(issued);
      try {
        const reply = await issue();
        this.finish(step, issued, describeReply(step, reply));
        return reply;
      } catch (error) {
        this.finish(step, issued, describeError(error));
        throw error;
      }
    };
  }

  /** Writes all buffered lines synchronously; `withPending` adds the steps that have no reply yet. */
  flush(withPending = false): void {
    if (withPending) for (const line of this.pending) this.note({ ...line, pending: true });
    if (this.lines.length === 0) return;
    const text = this.lines.join('\n') + '\n';
    this.lines = [];
    this.file.append(text);
  }

  /** Called when a run begins, so that its lines are not dropped soon. */
  makeRoom(): void {
    this.flush();
    this.file.makeRoom();
  }

  close(): void {
    this.flush();
    this.file.close();
  }

  private stepLine(step: Step, request: string, n: number): StepLine {
    return {
      type: 'step',
      t: monotonic(),
      replica: this.replica,
      pid: this.pid,
      request,
      n,
      took: 0,
      ...describeStep(step),
    };
  }

  private finish(
    step: Step,
    issued: StepLine,
    end: ReturnType<typeof describeReply> | ReturnType<typeof describeError>,
  ): void {
    this.pending.delete(issued);
    const order = step.order === undefined ? {} : { order: step.order };
    this.note({ ...issued, ...order, ...end, took: monotonic() - issued.t });
  }
}

/** The fields of a step that a history shows. */
export const describeStep = ({
  kind,
  verb,
  text,
  key,
  script,
  lock,
  server,
}: Step): Pick<StepLine, 'kind' | 'verb' | 'text' | 'key' | 'script' | 'lock' | 'server'> => ({
  kind,
  verb,
  text,
  ...(key !== undefined && { key }),
  ...(script !== undefined && { script }),
  ...(lock !== undefined && { lock: requestedEffect(lock) }),
  ...(server !== undefined && { server }),
});

/** The reply of a step, and what it says about a lock. */
export const describeReply = ({ lock }: Step, reply: unknown): Pick<StepLine, 'reply' | 'lock'> => ({
  reply: brief(reply),
  ...(lock !== undefined && { lock: lockEffect(lock, reply) }),
});

/** The message of a failed step, and its stable code. */
export const describeError = (error: unknown): { error: string; errorCode: string } => ({
  error: messageOf(error),
  errorCode: codeOf(error),
});

const LONGEST_REPLY = 200;

/** A reply short enough for a history: the counts of a write, the rows of a small read. */
export function brief(reply: unknown): unknown {
  const plain = plainReply(reply);
  const text = JSON.stringify(plain);
  return text.length <= LONGEST_REPLY ? plain : `${text.slice(0, LONGEST_REPLY)}…`;
}

/** A reply as JSON can write it: the counts of a write, or the whole reply. */
export function plainReply(reply: unknown): unknown {
  if (reply === undefined || typeof reply === 'function') return null; // a mutex replies with its release function
  if (Buffer.isBuffer(reply)) return reply.toString();
  if (typeof reply === 'object' && reply !== null && 'affectedRows' in reply) {
    const { affectedRows, insertId } = reply as { affectedRows: number; insertId?: number };
    return { affectedRows, insertId };
  }
  return reply;
}
