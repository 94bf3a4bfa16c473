import { performance } from 'node:perf_hooks';

/** Without a terminal, progress is a line at most this often, so that a log shows that a long run advances. */
const LINE_EVERY_MS = 15_000;

/** Progress on standard error: one line that is rewritten on a terminal, whole lines elsewhere. */
export class Progress {
  private readonly live = process.stderr.isTTY;
  private shown = '';
  private lastLine = performance.now();

  /** Prints a line that stays. */
  say(line: string): void {
    this.clear();
    process.stderr.write(`${line}\n`);
  }

  /** Rewrites the current line; without a terminal, prints a line now and then. */
  update(text: string): void {
    if (!this.live) {
      this.updateLog(text);
      return;
    }
    if (text === this.shown) return;
    this.clear();
    this.shown = text.slice(0, Math.max(20, process.stderr.columns - 1));
    process.stderr.write(this.shown);
  }

  private updateLog(text: string): void {
    const now = performance.now();
    if (now - this.lastLine < LINE_EVERY_MS) return;
    this.lastLine = now;
    process.stderr.write(`${text}\n`);
  }

  clear(): void {
    if (this.shown !== '') process.stderr.write(`\r${' '.repeat(this.shown.length)}\r`);
    this.shown = '';
  }
}
