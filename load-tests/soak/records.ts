import type { HistoryLine, ProcessLine } from '#lab/step';
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/** What all replicas and their supervisor wrote since the last look, by time. */
export class Records {
  constructor(private readonly dir: string) {}

  read(): HistoryLine[] {
    return this.files()
      .flatMap((file) => readFileSync(file, 'utf8').split('\n').flatMap(parse))
      .sort((a, b) => a.t - b.t);
  }

  /** Forgets what was read: ten minutes would be too much for one look. The writers append. */
  clear(): void {
    for (const file of this.files()) truncateSync(file);
  }

  private files(): string[] {
    return readdirSync(this.dir)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(this.dir, name));
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

export const isProcessLine = (line: HistoryLine): line is ProcessLine =>
  line.type === 'start' || line.type === 'exit' || line.type === 'stopped' || line.type === 'resumed';

/** The history of each balance, with what happened to the processes meanwhile. */
export function byBalance(lines: readonly HistoryLine[]): ReadonlyMap<string, readonly HistoryLine[]> {
  const balances = new Map(
    lines.flatMap((line) => (line.type === 'request' ? [[line.request, line.balance] as const] : [])),
  );
  const own = new Map<string, HistoryLine[]>([...balances.values()].map((balance) => [balance, []]));
  for (const line of lines) {
    if (isProcessLine(line)) for (const all of own.values()) all.push(line);
    else own.get('balance' in line ? line.balance : (balances.get(line.request) ?? ''))?.push(line);
  }
  return own;
}

/** What the logs of the replicas have to say that is an error, since the last look. */
export class Logs {
  private readonly read = new Map<string, number>();

  constructor(private readonly dir: string) {}

  errors(): string[] {
    if (!existsSync(this.dir)) return [];
    return readdirSync(this.dir)
      .filter((name) => /^(order|inventory)-\d+\.log$/.test(name))
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

/** Nest writes JSON; what is none was written by Node.js itself: a crash, a rejection that nobody handled, a warning. */
function isError(line: string): boolean {
  try {
    const { level } = JSON.parse(line) as { level?: string };
    return level === 'error' || level === 'fatal';
  } catch {
    return true;
  }
}
