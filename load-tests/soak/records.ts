import { monotonic, type HistoryLine, type ProcessLine } from '#lab/step';
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/** The history of all replicas and their supervisor since the last `clear`, sorted by time. */
export class Records {
  private clearedAt = -Infinity;

  constructor(private readonly dir: string) {}

  read(): HistoryLine[] {
    return this.files()
      .flatMap((file) => readFileSync(file, 'utf8').split('\n').flatMap(parse))
      .filter((line) => line.type !== 'rotated' || (line.droppedUntil ?? -Infinity) > this.clearedAt)
      .sort((a, b) => a.t - b.t);
  }

  /** Truncates the files, because the history of ten minutes is too large to read at once. The writers append. */
  clear(): void {
    for (const file of this.files()) truncateSync(file);
    this.clearedAt = monotonic();
  }

  private files(): string[] {
    return readdirSync(this.dir)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(this.dir, name));
  }
}

/** Skips an incomplete line, which a killed writer may leave at the end of its file. */
function parse(text: string): HistoryLine[] {
  try {
    return [JSON.parse(text) as HistoryLine];
  } catch {
    return [];
  }
}

export const isProcessLine = (line: HistoryLine): line is ProcessLine =>
  line.type === 'start' || line.type === 'exit' || line.type === 'stopped' || line.type === 'resumed';

/** The history by balance; each one also has all events of processes, and what was dropped. */
export function byBalance(lines: readonly HistoryLine[]): ReadonlyMap<string, readonly HistoryLine[]> {
  const balances = new Map(
    lines.flatMap((line) => (line.type === 'request' ? [[line.request, line.balance] as const] : [])),
  );
  const own = new Map<string, HistoryLine[]>([...balances.values()].map((balance) => [balance, []]));
  for (const line of lines) {
    if (isProcessLine(line) || line.type === 'rotated') for (const all of own.values()) all.push(line);
    else own.get('balance' in line ? line.balance : (balances.get(line.request) ?? ''))?.push(line);
  }
  return own;
}

/** Reads the errors in the replicas' logs. Each call returns those since the last call. */
export class Logs {
  private readonly read = new Map<string, number>();

  constructor(private readonly dir: string) {}

  errors(): string[] {
    if (!existsSync(this.dir)) return [];
    return readdirSync(this.dir)
      .filter((name) => /^(order|inventory|account)-\d+\.log$/.test(name))
      .flatMap((name) => {
        const text = readFileSync(join(this.dir, name), 'utf8');
        const fresh = text.slice(this.read.get(name) ?? 0);
        this.read.set(name, text.length);
        return fresh
          .split('\n')
          .filter((line) => line.trim() !== '' && isError(line))
          .map((line) => `${name}: ${line.slice(0, 300)}`);
      });
  }
}

/** A replica logs JSON, defects with the level `error`. Any other line is from Node.js: a crash, an unhandled rejection, or a warning. */
function isError(line: string): boolean {
  try {
    const { level } = JSON.parse(line) as { level?: string };
    return level === 'error' || level === 'fatal';
  } catch {
    return true;
  }
}
