import type { Expectation } from '#lab/strategy';
import { MARKS, worstHarm, type Mark } from './mark';
import { judgeStock } from './schedule/stock';
import type { EndEvent, FinalState } from './schedule/history';
import type { ScheduleViolationKind } from './schedule/violation';
import type { VerdictWord } from './load/judge';

/** One observed event. `at` is CLOCK_MONOTONIC in microseconds. */
export interface DrillMoment {
  readonly at: number;
  /** The buyer or server that the event belongs to, or `drill`. */
  readonly who: string;
  readonly what: string;
  /** The event is a fact that does not hold, or a step that no server answered. */
  readonly isFailure?: true;
}

/** A precondition of the drill's test, as reported by a server or the kernel: without it the drill tested nothing. */
export interface Fact {
  readonly text: string;
  readonly holds: boolean;
}

/** The complete input of the verdict on a drill. */
export interface DrillEvidence {
  readonly strategy: string;
  /** Units in stock before the first buyer. */
  readonly initial: number;
  /** Units in the database at the end. */
  readonly final: number;
  readonly movements: FinalState['movements'];
  readonly buyers: readonly { readonly name: string; readonly code: string; readonly text: string }[];
  readonly facts: readonly Fact[];
  /** Further counts of the drill, for display only. */
  readonly figures: Readonly<Record<string, number | string>>;
  readonly timeline: readonly DrillMoment[];
}

/**
 * A reason for the verdict on a drill: what is missing of its proof, or a violation. `code` is stable; `drillReasonText`
 * makes the text for people, which no code compares.
 */
export type DrillReason =
  | { readonly code: 'no-facts' }
  | { readonly code: 'fact-does-not-hold'; readonly fact: string }
  | { readonly code: 'too-few-buyers' }
  | { readonly code: 'unfinished'; readonly buyer: string }
  | { readonly code: 'violation'; readonly sentence: string };

/** One reason as a clause. */
function drillReasonText(reason: DrillReason): string {
  switch (reason.code) {
    case 'no-facts':
      return 'the drill states no facts';
    case 'fact-does-not-hold':
      return `this fact does not hold: ${reason.fact}`;
    case 'too-few-buyers':
      return 'fewer than two buyers took part';
    case 'unfinished':
      return `${reason.buyer} did not finish`;
    case 'violation':
      return reason.sentence;
  }
}

export interface DrillVerdict {
  readonly sold: number;
  readonly violations: readonly ScheduleViolationKind[];
  readonly mark: Mark;
  /** The verdict in one line. */
  readonly headline: string;
  readonly verdict: VerdictWord;
  readonly reasons: readonly DrillReason[];
  /** The reasons, one sentence each. */
  readonly because: readonly string[];
  readonly expected: Expectation;
  readonly asExpected: boolean;
}

/**
 * Judges a drill by its balance and movements only. A drill proves nothing when it states no facts, when a fact does not
 * hold, or when a buyer did not finish.
 */
export function judgeDrill(evidence: DrillEvidence, expected: Expectation): DrillVerdict {
  const { facts, buyers, movements } = evidence;
  const found = judgeStock(asSchedule(evidence));
  const violations = [...new Set(found.map(({ kind }) => kind))];
  const missing = missingProof(facts, buyers);
  const reasons = [
    ...missing,
    ...found.map(({ sentence }): DrillReason => ({ code: 'violation', sentence })),
  ];
  const because = reasons.map(drillReasonText);
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
      ...because,
    ].join('; '),
    verdict,
    reasons,
    because,
    expected,
    asExpected:
      verdict !== 'unknown' &&
      must.every(isSeen) &&
      violations.every((kind) => [...must, ...may].some((one) => one === kind)),
  };
}

const missingProof = (facts: DrillEvidence['facts'], buyers: DrillEvidence['buyers']): DrillReason[] => [
  ...(facts.length === 0 ? [{ code: 'no-facts' } as const] : []),
  ...facts
    .filter(({ holds }) => !holds)
    .map(({ text }) => ({ code: 'fact-does-not-hold', fact: text }) as const),
  ...(buyers.length < 2 ? [{ code: 'too-few-buyers' } as const] : []),
  ...buyers
    .filter(({ code }) => code === 'NO_ANSWER')
    .map(({ name }) => ({ code: 'unfinished', buyer: name }) as const),
];

/** The drill as a schedule history; its only events are the ends of the buyers. */
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
