import { lineWidth } from './wrap';

/** Characters that take two columns of a terminal. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/u;
/** Characters that must not begin a line. */
const NOT_FIRST = /[，。、；：？！）》」』”’…),.;:?!]/u;
/** Characters that must not end a line. */
const NOT_LAST = /[（《「『“‘(]$/u;

/** Columns of a text in a terminal. */
export const columnsOf = (text: string): number =>
  Array.from(text).reduce((columns, character) => columns + (WIDE.test(character) ? 2 : 1), 0);

/** As `wrap`, for text that may be Chinese: a line may also end between two wide characters. */
export const wrapWide = (text: string, indent = 0, width = lineWidth()): string =>
  text
    .split('\n')
    .map((line) => wrapLine(line, indent, width))
    .join('\n');

function wrapLine(text: string, indent: number, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const piece of piecesOf(text)) {
    const room = width - (lines.length === 0 ? 0 : indent);
    if (line.trim() !== '' && columnsOf(line) + columnsOf(piece.trimEnd()) > room) {
      lines.push(line.trimEnd());
      line = piece.trimStart();
    } else line += piece;
  }
  return [...lines, line.trimEnd()].join(`\n${' '.repeat(indent)}`);
}

/** What must stay on one line: a word with the spaces after it, or a wide character with the punctuation after it. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let isOpen = false;
  for (const character of text) {
    const last = pieces.at(-1);
    const continues =
      NOT_FIRST.test(character) || (isOpen && !WIDE.test(character)) || NOT_LAST.test(last ?? '');
    if (last !== undefined && continues) pieces[pieces.length - 1] = last + character;
    else pieces.push(character);
    isOpen = character !== ' ' && !WIDE.test(character);
  }
  return pieces;
}
