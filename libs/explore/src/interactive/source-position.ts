import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** A line of a strategy's source. */
export interface SourcePosition {
  /** Relative to `libs/strategy/src`: `strategies/setnx.ts`. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

const STRATEGY_LIB = join(__dirname, '..', '..', '..', 'strategy', 'src') + sep;
const FRAME = /\(?((?:\/|[A-Z]:\\)[^():]+):(\d+):(\d+)\)?$/;

const maps = new Map<string, SourceMap | undefined>();

/** The lines of the strategy library on a call stack, the innermost first. Async callers are on the stack, too. */
export function sourcePositions(stack: string): SourcePosition[] {
  return stack.split('\n').flatMap((frame) => {
    const [, file = '', line, column] = FRAME.exec(frame.trim()) ?? [];
    return file.startsWith(STRATEGY_LIB) ? [originOf(file, Number(line), Number(column))] : [];
  });
}

/** The line at which a strategy begins to apply a change; empty: its file does not show it. */
export function beginningOf(file: string | undefined): SourcePosition[] {
  if (file === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((text) => /^\s*(async )?apply\b/.test(text));
  return line < 0 ? [] : [originOf(file, line + 1, (lines[line]?.search(/\S/) ?? 0) + 1)];
}

function originOf(file: string, line: number, column: number): SourcePosition {
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry))
    return { file: nameOf(file.replace(/\.js$/, '.ts')), line };
  // the map names the source relative to the compiled file; the names below libs/strategy/src are the same
  const source = resolve(dirname(file), entry.originalSource);
  return { file: source.split(`strategy${sep}src${sep}`).at(-1) ?? source, line: entry.originalLine + 1 };
}

const nameOf = (file: string): string => relative(STRATEGY_LIB, file);

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) {
    const map = `${file}.map`;
    maps.set(
      file,
      existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, 'utf8')) as SourceMapPayload) : undefined,
    );
  }
  return maps.get(file);
}
