import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

export interface JournalEntry {
  readonly type: 'start' | 'exit' | 'stopped' | 'resumed';
  readonly replica: string;
  readonly pid: number;
  readonly code?: number | null;
  readonly signal?: NodeJS.Signals | null;
  /** Exits only: the stack itself asked for it (stop, scale, restart); a kill is never asked for. */
  readonly asked?: boolean;
}

/**
 * What the supervisor saw happen to replicas, one JSON object per line in `supervisor.jsonl`: the evidence
 * of a fault comes from somebody else than the one it hit. Written synchronously; `t` is the monotonic clock in
 * microseconds (`process.hrtime`), which all processes of a machine share; `at` is the wall clock.
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
