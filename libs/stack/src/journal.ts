import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

export interface JournalEntry {
  readonly type: 'start' | 'exit' | 'stopped' | 'resumed';
  readonly replica: string;
  readonly pid: number;
  readonly code?: number | null;
  readonly signal?: NodeJS.Signals | null;
  /** Exits only: whether the stack requested it (stop, scale, restart); false for a kill. */
  readonly asked?: boolean;
}

/**
 * The supervisor's record of the replicas' processes, one JSON object per line in `supervisor.jsonl`. It is evidence of
 * faults that is independent of the process they hit. Written synchronously. `t` is the monotonic clock in microseconds
 * (`process.hrtime`), which all processes of a machine share; `at` is the wall clock.
 */
export class Journal {
  private readonly file: string;

  constructor(historyDir: string) {
    this.file = join(historyDir, 'supervisor.jsonl');
  }

  write({ type, ...rest }: JournalEntry): void {
    const t = Number(process.hrtime.bigint() / 1000n);
    appendFileSync(this.file, `${JSON.stringify({ type, t, at: new Date().toISOString(), ...rest })}\n`);
  }
}
