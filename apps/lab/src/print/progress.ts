/** Progress on standard error: one line that is rewritten on a terminal, whole lines elsewhere. */
export class Progress {
  private readonly live = process.stderr.isTTY;
  private shown = '';

  /** Prints a line that stays. */
  say(line: string): void {
    this.clear();
    process.stderr.write(`${line}\n`);
  }

  /** Rewrites the current line; on a terminal only. */
  update(text: string): void {
    if (!this.live || text === this.shown) return;
    this.clear();
    this.shown = text.slice(0, Math.max(20, process.stderr.columns - 1));
    process.stderr.write(this.shown);
  }

  clear(): void {
    if (this.shown !== '') process.stderr.write(`\r${' '.repeat(this.shown.length)}\r`);
    this.shown = '';
  }
}
