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

/** A line of a call stack. */
interface Frame extends SourcePosition {
  /** The function, and its file. */
  readonly caller: string;
}

const STRATEGY_LIB = join(__dirname, '..', '..', '..', 'strategy', 'src') + sep;
const FRAME = /^at (?:async )?(?:(\S.*) )?\(?((?:\/|[A-Z]:\\)[^():]+):(\d+):(\d+)\)?$/;
/** Runs the script that its caller names: the line of the caller is shown. */
const RUNS_SCRIPTS = 'shared/scripts.ts';

const maps = new Map<string, SourceMap | undefined>();

/**
 * Where the code of one actor is. A function that has returned the promise of another one is not on the stack of later
 * steps: the callers of a function are known from the stacks before.
 */
export class CodePosition {
  private readonly callers = new Map<string, readonly Frame[]>();

  constructor(private lines: readonly SourcePosition[]) {}

  /** The lines of the strategy library, the innermost first. */
  get at(): readonly SourcePosition[] {
    return this.lines;
  }

  /** Moves to the code that issued a step. Stacks without a line of the strategy library change nothing. */
  moveTo(stacks: readonly string[]): void {
    const frames = stacks.map(framesOf).reduceRight<readonly Frame[]>(within, []);
    const outermost = frames.at(-1);
    if (outermost === undefined) return;
    const all = [...frames, ...(this.callers.get(outermost.caller) ?? [])];
    for (const [i, { caller }] of all.entries()) this.callers.set(caller, all.slice(i + 1));
    this.lines = all.map(({ file, line }) => ({ file, line }));
  }
}

/** A stack inside a call, before that of the call; both may have the callers of the call. */
const within = (outer: readonly Frame[], inner: readonly Frame[]): readonly Frame[] => [
  ...inner.filter(({ file, line }) => !outer.some((one) => one.file === file && one.line === line)),
  ...outer,
];

/** Async callers are on the stack, too. */
function framesOf(stack: string): Frame[] {
  return stack.split('\n').flatMap((text) => {
    const [, name = '', file = '', line, column] = FRAME.exec(text.trim()) ?? [];
    if (!file.startsWith(STRATEGY_LIB)) return [];
    const position = originOf(file, Number(line), Number(column));
    return position.file === RUNS_SCRIPTS ? [] : [{ ...position, caller: `${name} ${position.file}` }];
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
