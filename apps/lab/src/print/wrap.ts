/** Columns of a terminal that every output fits in. */
const WIDTH = 100;

/** The text in lines of at most `WIDTH` columns, broken between words; all but the first begin with `indent` blanks. */
export function wrap(text: string, indent = 0): string {
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  for (const word of text.trimStart().split(' ')) {
    const room = WIDTH - (lines.length === 0 ? 0 : indent);
    if (line.trim() !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line.trim() === '' ? `${line}${word}` : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
