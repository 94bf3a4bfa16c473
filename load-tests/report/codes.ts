import type { ClientAnswer } from '#lab/verdict';

/** CSS color classes of the common codes; other codes take the next free one. */
const CLASSES: Readonly<Record<string, string>> = {
  APPLIED: 'r0',
  'STOCK.SOLD_OUT': 'quiet',
  'LOCK.NOT_OBTAINED': 'r1',
  OUTCOME_UNKNOWN: 'bad',
  NO_ANSWER: 'bad',
};
const FREE = ['r2', 'r3', 'r4', 'r5'];

/** A code with its answers and its CSS color class. */
export interface Outcome {
  readonly code: string;
  readonly className: string;
  readonly answers: readonly ClientAnswer[];
  /** Latencies in milliseconds, ascending; in an open loop since the due time. */
  readonly tookMs: readonly number[];
}

/** Answers by code: sales first, then by frequency. */
export function outcomesOf(answers: readonly ClientAnswer[]): readonly Outcome[] {
  const byCode = new Map<string, ClientAnswer[]>();
  for (const answer of answers) {
    const same = byCode.get(answer.code);
    if (same === undefined) byCode.set(answer.code, [answer]);
    else same.push(answer);
  }
  let free = 0;
  return [...byCode]
    .sort(
      ([a, some], [b, others]) =>
        Number(b === 'APPLIED') - Number(a === 'APPLIED') || others.length - some.length,
    )
    .map(([code, same]) => ({
      code,
      className: CLASSES[code] ?? FREE[free++ % FREE.length] ?? 'quiet',
      answers: same,
      tookMs: same.map(({ tookMs, lateMs = 0 }) => lateMs + tookMs).sort((a, b) => a - b),
    }));
}

/** Milliseconds, with one decimal below 10; a dash without a value. */
export const inMs = (ms: number): string =>
  Number.isNaN(ms) ? '–' : `${ms.toLocaleString('en', { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`;
