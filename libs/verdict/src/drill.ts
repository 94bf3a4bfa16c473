import type { Expectation, ViolationKind } from '#lab/strategy';
import { MARKS, worstHarm, type Mark } from './mark';
import { judgeStock } from './schedule/stock';
import type { EndEvent, FinalState } from './schedule/history';
import type { VerdictWord } from './load/judge';

/** One thing that happened, as it was seen: time is CLOCK_MONOTONIC in microseconds. */
export interface DrillMoment {
  readonly at: number;
  /** A buyer, a server, or `drill`. */
  readonly who: string;
  readonly what: string;
  /** A fact that does not hold, or a step that no server answered. */
  readonly isFailure?: true;
}

/** Something that must be true of a drill for it to have tested anything, as a server or the kernel has said it. */
export interface Fact {
  readonly text: string;
  readonly holds: boolean;
}

/** Everything that the verdict on a drill is computed from. */
export interface DrillEvidence {
  readonly strategy: string;
  /** Units before the first buyer. */
  readonly initial: number;
  /** Units in the database at the end. */
  readonly final: number;
  readonly movements: FinalState['movements'];
  readonly buyers: readonly { readonly name: string; readonly code: string; readonly text: string }[];
  readonly facts: readonly Fact[];
  /** What the drill has counted beside the balances, to be shown. */
  readonly figures: Readonly<Record<string, number | string>>;
  readonly timeline: readonly DrillMoment[];
}

export interface DrillVerdict {
  readonly sold: number;
  readonly violations: readonly (ViolationKind | 'lost-acknowledged' | 'starved')[];
  readonly mark: Mark;
  /** The verdict in one line. */
  readonly headline: string;
  readonly verdict: VerdictWord;
  /** One sentence each. */
  readonly because: readonly string[];
  readonly expected: Expectation;
  readonly asExpected: boolean;
}

/**
 * Judges a drill by its balance and movements alone. Without facts, with one that does not hold, or with a buyer that
 * never ended it proves nothing.
 */
export function judgeDrill(evidence: DrillEvidence, expected: Expectation): DrillVerdict {
  const { facts, buyers, movements } = evidence;
  const found = judgeStock(asSchedule(evidence));
  const violations = [...new Set(found.map(({ kind }) => kind))];
  const missing = [
    ...(facts.length === 0 ? ['the drill has stated no fact'] : []),
    ...facts.filter(({ holds }) => !holds).map(({ text }) => `it is not true that ${text}`),
    ...(buyers.length < 2 ? ['there were not two buyers'] : []),
    ...buyers.filter(({ code }) => code === 'NO_ANSWER').map(({ name }) => `${name} never ended`),
  ];
  const verdict = missing.length > 0 ? 'unknown' : violations.length > 0 ? 'violated' : 'safe';
  const { must, may } = expected;
  const isSeen = (kind: string): boolean => violations.some((one) => one === kind);
  const mark = verdict === 'unknown' ? 'unknown' : (worstHarm(violations) ?? 'safe');
  const sold = movements.reduce((units, { delta }) => units - delta, 0);
  return {
    sold,
    violations,
    mark,
    headline: [
      `${(mark === 'unknown' ? mark : MARKS[mark].words).toUpperCase()}: ${sold} of ${evidence.initial} sold`,
      ...missing,
      ...found.map(({ sentence }) => sentence),
    ].join('; '),
    verdict,
    because: [...missing, ...found.map(({ sentence }) => sentence)],
    expected,
    asExpected:
      verdict !== 'unknown' &&
      must.every(isSeen) &&
      violations.every((kind) => [...must, ...may].some((one) => one === kind)),
  };
}

/** The same rows as a schedule's, of which only the ends of the buyers are known. */
const asSchedule = ({ strategy, initial, final, movements, buyers }: DrillEvidence) => ({
  strategy,
  stock: initial,
  actors: buyers.map(({ name }) => ({ name, process: name })),
  events: buyers.map(({ name, code, text }, i): EndEvent => ({
    type: 'end',
    n: i + 1,
    actor: name,
    code,
    text,
  })),
  final: { amount: final, amounts: { item: final }, movements, locks: [] },
});
