const ANY = '…';

/** Where an output differs from the one of a lesson. */
export interface OutputDifference {
  /** The first expected line that was not printed where it belongs. */
  readonly expected: string;
  /** The printed line before it; undefined: no expected line was printed. */
  readonly after?: string;
}

/**
 * Compares what a command printed with the lines of a lesson. Each line must follow the one before it; `…` in a line stands
 * for any text, a line `…` for any lines. The output may have further lines before and after.
 * @returns undefined when it is as expected
 */
export function compareOutput(expected: readonly string[], printed: string): OutputDifference | undefined {
  const lines = printed.split('\n').map((line) => line.trimEnd());
  let next = 0;
  let after: string | undefined;
  let mayBeAnywhere = true;
  for (const line of expected.map((one) => one.trimEnd())) {
    if (line.trim() === ANY) {
      mayBeAnywhere = true;
      continue;
    }
    const pattern = patternOf(line);
    const found = lines.findIndex((one, i) => i >= next && pattern.test(one));
    if (found < 0 || (!mayBeAnywhere && found !== next))
      return { expected: line, ...(after !== undefined && { after }) };
    after = lines[found];
    next = found + 1;
    mayBeAnywhere = false;
  }
  return undefined;
}

const patternOf = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split(ANY)
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*')}$`,
  );
