import type { Strategy } from '#lab/strategy';
import type { FaultName } from '#lab/verdict';
import { existsFor, type Cell } from './cells';
import type { Tally } from './tally';

/** `unknown`: the exploration proves nothing. */
export type Sign = 'safe' | 'violated' | 'unknown';

export interface CellVerdict {
  readonly sign: Sign;
  /** Why it is unknown. */
  readonly because?: string;
}

/**
 * Safe needs proof that it was tested: every schedule was run, the fault happened, and the actors were on their way at
 * the same time.
 */
export function judgeCell(tally: Tally, about: FaultName | undefined): CellVerdict {
  if (tally.violating > 0) return { sign: 'violated' };
  if (about !== undefined && (tally.fired.get(about) ?? 0) === 0)
    return { sign: 'unknown', because: `${about} never happened: there is nothing here that it could hit` };
  if (tally.partial) return { sign: 'unknown', because: 'not every schedule was run' };
  if (tally.contended === 0) return { sign: 'unknown', because: 'the actors never met' };
  return { sign: 'safe' };
}

/** What the catalogue says about a strategy in a circumstance; undefined where it says nothing. */
export function expectedSign(strategy: Strategy, cell: Cell): 'safe' | 'violated' | undefined {
  const { promise, processes } = cell;
  if (!existsFor(strategy, cell)) return undefined;
  const lacks = (capability: Strategy['lacks'][number]): boolean => strategy.lacks.includes(capability);
  const acrossProcesses = new Set(processes).size > 1;
  if (lacks(acrossProcesses ? 'exactAcrossProcesses' : 'exactInOneProcess')) return 'violated';
  if (promise === undefined) return undefined;
  return lacks(promise.capability) ? 'violated' : 'safe';
}

/** True when what was found is what the catalogue says. A promise is broken by its own kinds of violation only. */
export function isAsExpected(strategy: Strategy, cell: Cell, tally: Tally): boolean {
  const expected = expectedSign(strategy, cell);
  const { sign } = judgeCell(tally, cell.about);
  if (expected === undefined || sign === 'unknown') return true;
  if (expected === 'violated') return sign === 'violated';
  return !(cell.promise?.kinds ?? []).some((kind) => tally.kinds.has(kind));
}
