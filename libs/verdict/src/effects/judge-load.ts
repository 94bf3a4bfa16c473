import type { Effect, EffectRules } from '#lab/guard';
import type { HistoryLine } from '#lab/step';
import type { EffectViolationKind } from '#lab/strategy';
import { prove } from '../load/proof';
import { reasonText } from '../load/reason';
import { harmOf, worstHarm, type Mark } from '../mark';
import { judgeEffects, type EffectViolation, type AcknowledgedAction } from './judge';

/** What a load run of a guard leaves behind. */
export interface ActionEvidence {
  readonly rules: EffectRules;
  readonly replicas: number;
  /** The fault header of the run; absent: none. */
  readonly fault?: string;
  readonly effects: readonly Effect[];
  readonly acknowledged: readonly AcknowledgedAction[];
  readonly history: readonly HistoryLine[];
}

/** The violations that a run must show, and those that it may show besides. */
interface Expected {
  readonly must: readonly string[];
  readonly may?: readonly string[];
}

/** The verdict on a load run of a guard. */
export interface ActionVerdict {
  readonly mark: Mark;
  readonly asExpected: boolean;
  readonly violations: readonly EffectViolation[];
  /** Number of effects, and of the keys that have one. */
  readonly effects: number;
  readonly keys: number;
  /** The longest time for which a page had expired when a reader received it, milliseconds; 0: there is none. */
  readonly staleMs: number;
  /** Why the mark is `unknown`. */
  readonly because: readonly string[];
}

/** Judges a load run of a guard by its effects. A run without violations is `safe` only when it tested the guard. */
export function judgeActionLoad(evidence: ActionEvidence, { must, may = [] }: Expected): ActionVerdict {
  const { rules, replicas, effects, acknowledged, history, fault } = evidence;
  const violations = judgeEffects(rules, effects, acknowledged);
  const { missing } = prove({ history, replicas, faults: fault === undefined ? [] : [fault] }, []);
  const kinds = new Set<EffectViolationKind>(violations.map(({ kind }) => kind));
  const worst = worstHarm(kinds);
  const hasNone = effects.length === 0 && rules.mayHaveNone !== true;
  const isProved = missing.length === 0 && !hasNone;
  const mark = worst ?? (isProved ? 'safe' : 'unknown');
  return {
    mark,
    asExpected:
      mark !== 'unknown' &&
      must.every((kind) => kinds.has(kind as EffectViolationKind)) &&
      [...kinds].every((kind) => must.includes(kind) || may.includes(kind)),
    violations: [...violations].sort((a, b) => harmOf(a.kind).localeCompare(harmOf(b.kind))),
    effects: effects.length,
    keys: new Set(effects.map(({ key }) => key)).size,
    staleMs: Math.max(0, ...acknowledged.map(({ staleMs = 0 }) => staleMs)),
    because: [
      ...missing.map((reason) => reasonText(reason, 'stock')),
      ...(hasNone ? ['no action had an effect'] : []),
    ],
  };
}
