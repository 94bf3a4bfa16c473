const MOST_COLUMNS = 100;
const FEWEST_COLUMNS = 60;

/** Columns of one output line: those of the terminal, at most 100; 100 when standard output is not a terminal. */
export const lineWidth = (): number =>
  process.stdout.isTTY
    ? Math.min(MOST_COLUMNS, Math.max(FEWEST_COLUMNS, process.stdout.columns))
    : MOST_COLUMNS;

/** Breaks text between words. Continuation lines start with `indent` spaces; a word that is too long is not broken. */
export const wrap = (text: string, indent = 0, width = lineWidth()): string =>
  text
    .split('\n')
    .map((line) => wrapLine(line, indent, width))
    .join('\n');

function wrapLine(text: string, indent: number, width: number): string {
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  for (const word of text.trimStart().split(' ')) {
    const room = width - (lines.length === 0 ? 0 : indent);
    if (line.trim() !== '' && line.length + 1 + word.length > room) {
      lines.push(line.trimEnd());
      line = word;
    } else line = line.trim() === '' ? `${line}${word}` : `${line} ${word}`;
  }
  return [...lines, line.trimEnd()].join(`\n${' '.repeat(indent)}`);
}

/** Cuts text to the width of the line. The cut is marked with an ellipsis. */
export const cut = (text: string, width = lineWidth()): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;

/** A shell command. When it is too long for a line, it is broken before options, or before its last argument. */
export function shellCommand(command: string, indent: number): string {
  const margin = ' '.repeat(indent);
  if (indent + command.length <= lineWidth()) return `${margin}${command}`;
  const [begin = '', ...options] = command.split(/ (?=--)/);
  const parts =
    options.length > 0 ? [begin, ...options] : [begin.replace(/ \S*$/, ''), begin.replace(/^.* /, '')];
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ''} ${part}`;
    if (lines.length > 0 && indent + 2 + longer.length + 2 <= lineWidth()) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return `${margin}${lines.join(` \\\n${margin}  `)}`;
}

/** A name and its value. */
export type Field = readonly [name: string, value: string | number];

/** Names and values in two columns; long values are wrapped. */
export function fields(rows: readonly Field[]): string {
  const indent = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, value]) => wrap(`${name.padEnd(indent)}${value}`, indent)).join('\n');
}

/** The first `most` entries, and how many are left out. */
export function firstOf(entries: readonly string[], most: number, verbose: boolean): string {
  if (verbose || entries.length <= most) return entries.join(', ');
  return `${entries.slice(0, most).join(', ')}, ${entries.length - most} more (--verbose)`;
}
