import type { LimitViolationKind } from '#lab/limit';
import type { ScheduleViolationKind } from './schedule/violation';

/** A kind of violation of any verdict. */
export type AnyViolationKind = ScheduleViolationKind | LimitViolationKind;

/**
 * The harm of a violation, the worst first. `data-wrong`: the balance, its movements and the answers contradict each
 * other, or units are gone. `unavailable`: the data is right, but a lock never ends or a request waited in vain.
 * `lock-broken`: the lock did not exclude a second holder, but the data is right.
 */
export const HARMS = ['data-wrong', 'unavailable', 'lock-broken'] as const;
export type Harm = (typeof HARMS)[number];

/** The mark of a run, a schedule or a cell of the matrix. `unknown`: the run proves nothing. */
export type Mark = Harm | 'safe' | 'unknown';

/** The sign and name of each mark, identical in all outputs. */
export const MARKS: Readonly<Record<Mark, { readonly sign: string; readonly words: string }>> = {
  'data-wrong': { sign: '✗', words: 'data wrong' },
  unavailable: { sign: '⊘', words: 'stuck or unavailable' },
  'lock-broken': { sign: '!', words: 'lock broken, data right' },
  safe: { sign: '✓', words: 'safe' },
  unknown: { sign: '?', words: 'unknown' },
};

const HARM_OF: Readonly<Record<AnyViolationKind, Harm>> = {
  oversold: 'data-wrong',
  'lost-update': 'data-wrong',
  'lost-acknowledged': 'data-wrong',
  undersold: 'data-wrong',
  orphan: 'data-wrong',
  'torn-cart': 'data-wrong',
  duplicate: 'data-wrong',
  missing: 'data-wrong',
  'stale-write': 'data-wrong',
  invariant: 'data-wrong',
  stuck: 'unavailable',
  unavailable: 'unavailable',
  'dead-lock': 'unavailable',
  starved: 'unavailable',
  late: 'unavailable',
  'repeated-work': 'lock-broken',
  avalanche: 'unavailable',
  overlap: 'lock-broken',
  'foreign-release': 'lock-broken',
  'foreign-renewal': 'lock-broken',
  'fail-open': 'lock-broken',
  'over-limit': 'data-wrong',
  'blocked-forever': 'unavailable',
  unfair: 'unavailable',
  'limiter-down': 'unavailable',
};

/** The harm of a kind of violation. */
export const harmOf = (kind: AnyViolationKind): Harm => HARM_OF[kind];

/** The words of a mark that these kinds have. Where work is only repeated, no lock need be involved. */
export const markWords = (mark: Mark, kinds: Iterable<AnyViolationKind>): string =>
  mark === 'lock-broken' && Array.from(kinds).every((kind) => kind === 'repeated-work')
    ? 'work repeated, data right'
    : MARKS[mark].words;

/** The worst harm of these kinds; undefined for an empty list. */
export function worstHarm(kinds: Iterable<AnyViolationKind>): Harm | undefined {
  const harms = new Set(Array.from(kinds, harmOf));
  return HARMS.find((harm) => harms.has(harm));
}

/** The kinds sorted by harm, the worst first; stable within one harm. */
export const worstFirst = <Kind extends AnyViolationKind>(kinds: Iterable<Kind>): Kind[] =>
  [...kinds].sort((a, b) => HARMS.indexOf(harmOf(a)) - HARMS.indexOf(harmOf(b)));
