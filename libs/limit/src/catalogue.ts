import { unknownName } from '#lab/step';
import { extname, join } from 'node:path';
import type { Limiter } from './contract';
import { fixedWindow } from './limiters/fixed-window';
import { fixedWindowTwoCommands } from './limiters/fixed-window-two-commands';
import { inProcess } from './limiters/in-process';
import { leakyBucket } from './limiters/leaky-bucket';
import { slidingCounter } from './limiters/sliding-counter';
import { slidingLog } from './limiters/sliding-log';
import { slidingLogUnatomic } from './limiters/sliding-log-unatomic';
import { tokenBucket } from './limiters/token-bucket';
import { tokenList } from './limiters/token-list';

/** Every limiter, in teaching order. Validation, docs, command line and load tests all read this list. */
export const LIMITERS: readonly Limiter[] = [
  inProcess,
  fixedWindowTwoCommands,
  fixedWindow,
  slidingLogUnatomic,
  slidingLog,
  slidingCounter,
  tokenList,
  tokenBucket,
  leakyBucket,
];

export class UnknownLimiter extends Error {
  readonly code = 'LIMIT.UNKNOWN';

  constructor(name: string, known: readonly string[]) {
    super(unknownName('limiter', name, known));
    this.name = 'UnknownLimiter';
  }
}

/** Limiters that a program has added to the catalogue: the peers of a load test. */
const added: Limiter[] = [];

/** Adds limiters that requests can choose in this process. A duplicate name is an error. */
export function addLimiters(limiters: readonly Limiter[]): void {
  for (const limiter of limiters) {
    if (allLimiters().some(({ name }) => name === limiter.name))
      throw new Error(`two limiters are named "${limiter.name}": rename one of them`);
    added.push(limiter);
  }
}

const allLimiters = (): readonly Limiter[] => [...LIMITERS, ...added];

/** Finds a limiter, or throws `UnknownLimiter` with the list of names. */
export function findLimiter(name: string): Limiter {
  const found = allLimiters().find((limiter) => limiter.name === name);
  if (found === undefined)
    throw new UnknownLimiter(
      name,
      allLimiters().map((limiter) => limiter.name),
    );
  return found;
}

/** The file that exports the limiter; undefined for one that is not in the catalogue and has no `module`. */
export function fileOfLimiter(limiter: Limiter): string | undefined {
  if (limiter.module !== undefined) return limiter.module;
  if (!LIMITERS.includes(limiter)) return undefined;
  return join(__dirname, 'limiters', `${limiter.name}${extname(__filename)}`);
}
