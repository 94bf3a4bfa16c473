import { count, type HistoryLine, type ProcessLine } from '#lab/step';
import type { ViolationKind } from '#lab/strategy';
import { groupBy } from '../group-by';
import { judgeAnswers, leavesOutcomeOpen, mayHaveBought, purchasesOf, type Purchase } from '../load/answers';
import { isUndocumented, runsStrategies, type Evidence } from '../load/evidence';
import { judgeLoad } from '../load/judge';
import { reasonText } from '../load/reason';
import { contention } from './contention';

/** A fault injected into a server or the network. Times are microseconds, as in the history. */
export interface ServerFault {
  readonly kind: string;
  /** The server or replica: `redis`, `redis-3`, `inventory-1`. */
  readonly target: string;
  /** Just before the injection, and after the recovery. */
  readonly from: number;
  readonly until: number;
  /** What observed the fault: failed or refused steps of the replicas, or the server itself. Null: no observation. */
  readonly feltBy: string | null;
}

/** One balance; one strategy changes it during the minute. */
export interface SoakBalance {
  readonly evidence: Evidence;
  /** Kinds that the catalogue allows the strategy under the faults of this minute. None of them changes rows. */
  readonly allowed: readonly ViolationKind[];
}

/** The complete input of the verdict on one minute, collected at rest, after all leases have expired. */
export interface MinuteEvidence {
  readonly number: number;
  readonly balances: readonly SoakBalance[];
  readonly serverFaults: readonly ServerFault[];
  /** Starts, exits, pauses of all replicas. */
  readonly processes: readonly ProcessLine[];
  /** The half-way orders were reconciled: no order may be missing. */
  readonly reconciled: boolean;
  /** Error lines of the replicas' logs. */
  readonly errors: readonly string[];
}

export interface MinuteVerdict {
  readonly number: number;
  /** The minute had contention. Without it a minute proves nothing. */
  readonly counts: boolean;
  /** The share of samples in which a balance had a lock holder and another running request. */
  readonly contendedPercent: number;
  readonly sold: number;
  readonly balances: number;
  /** Balances that sold all units. */
  readonly soldOut: number;
  readonly answers: Readonly<Record<string, number>>;
  /** Answers that leave the outcome of the purchase unknown. */
  readonly answeredUnknown: number;
  /** Purchases that were retried under their key, and how many of them were finally confirmed. */
  readonly insisted: { readonly purchases: number; readonly bought: number };
  /** Faults by kind that hit a holder or a server under contention. */
  readonly fired: Readonly<Record<string, number>>;
  /** All other faults that fired. They prove nothing. */
  readonly inVain: Readonly<Record<string, number>>;
  /** Failed requirements, one sentence each. */
  readonly wrong: readonly string[];
}

/** Judges one minute. A pure function of the evidence. */
export function judgeMinute(minute: MinuteEvidence): MinuteVerdict {
  const judged = minute.balances.map((balance) => judgeBalance(balance));
  const contended = minute.balances.map(({ evidence }) => contention(evidence.history));
  const isContended = (t: number): boolean => contended.some((at) => at(t));
  const requestFaults = judged.flatMap(({ faults }) =>
    faults.map((fault) => {
      const { action, seenBy, holding, others, t } = fault;
      // an order replica holds no lock: contention in the inventory is sufficient
      if (ofOrders(fault)) return { kind: 'order-killed', counts: seenBy !== null && isContended(t) };
      return {
        kind: action === 'pause-until' ? 'pause' : action,
        counts: seenBy !== null && holding && others > 0,
      };
    }),
  );
  const serverFaults = minute.serverFaults.map(({ kind, from, feltBy }) => ({
    kind,
    counts: feltBy !== null && isContended(from),
  }));
  const faults = [...requestFaults, ...serverFaults];
  const retried = judged.flatMap(({ retried: purchases }) => purchases);
  const sampled = minute.balances.map(({ evidence }, i) => sampleContention(evidence.history, contended[i]));
  const hits = sampled.reduce((sum, { contended: n }) => sum + n, 0);
  const all = sampled.reduce((sum, { samples: n }) => sum + n, 0);
  return {
    number: minute.number,
    counts: hits > 0,
    contendedPercent: all === 0 ? 0 : Math.round((100 * hits) / all),
    sold: judged.reduce((sum, { sold }) => sum + sold, 0),
    balances: judged.length,
    soldOut: judged.filter(({ soldOut }) => soldOut).length,
    answers: sumOf(judged.map(({ answers }) => answers)),
    answeredUnknown: judged.reduce((sum, { answeredUnknown }) => sum + answeredUnknown, 0),
    insisted: { purchases: retried.length, bought: retried.filter(isBought).length },
    fired: countKinds(faults.filter(({ counts }) => counts)),
    inVain: countKinds(faults.filter(({ counts }) => !counts)),
    wrong: [
      ...judged.flatMap(({ wrong }) => wrong),
      ...(minute.reconciled ? [] : ['half-way orders could not be reconciled']),
      ...unexplainedExits(minute),
      ...errorsIn(minute),
    ],
  };
}

/** Kinds about orders and answers: a minute names their requests. */
const OF_ANSWERS: ReadonlySet<ViolationKind> = new Set(['orphan', 'lost-acknowledged']);

function judgeBalance({ evidence, allowed }: SoakBalance) {
  const verdict = judgeLoad(evidence, { must: [], may: allowed });
  const { unrecorded, soldButRefused, keysWithOrders, otherUnits } = judgeAnswers(evidence);
  const internal = evidence.answers.filter(({ code }) => isUndocumented(code));
  const keyed = purchasesOf(evidence);
  const about = `${evidence.balance} (${evidence.strategy})`;
  const others = verdict.violations.filter((kind) => !OF_ANSWERS.has(kind) && !allowed.includes(kind));
  const sentences = [
    ...(others.length > 0 ? [`${others.join(', ')}: ${verdict.because.join('; ')}`] : []),
    ...some(soldButRefused, 'sold, but answered as not sold'),
    ...some(keysWithOrders, 'used for more than one order', 'Idempotency-Key'),
    ...some(
      keysOf(keyed, ({ orders, code }) => orders > 0 && !mayHaveBought(code)),
      'used for an order, but last answered as not sold',
      'Idempotency-Key',
    ),
    ...some(verdict.orphans, 'deducted from the stock without an order'),
    ...some(verdict.phantoms, 'ordered without a deduction from the stock'),
    ...some(unrecorded, 'answered APPLIED, but the order or the movement is missing'),
    ...some(otherUnits, 'sold more or fewer units than ordered'),
    ...some(
      internal.map(({ request }) => request),
      'answered with an error that the shop does not document',
    ),
    ...(evidence.moving === true ? ['requests were active while the rows were read'] : []),
    ...some(verdict.unfinished, 'not finished'),
    ...verdict.reasons
      .filter(({ code }) => code === 'history-dropped')
      .map((reason) => reasonText(reason, 'stock')),
    ...evidence.locks.map(({ key }) => `the lock ${key} still exists although all leases have expired`),
    ...(verdict.finalStock < 0 ? [`the stock is negative: ${verdict.finalStock}`] : []),
  ];
  return {
    sold: verdict.sold,
    soldOut: verdict.finalStock === 0,
    answers: verdict.outcomes,
    faults: verdict.faults,
    retried: keyed.filter(({ asked }) => asked > 1),
    answeredUnknown: evidence.answers.filter(({ code }) => leavesOutcomeOpen(code)).length,
    wrong: sentences.map((sentence) => `${about}: ${sentence}`),
  };
}

const isBought = ({ code }: Purchase): boolean => code === 'APPLIED';

const keysOf = (purchases: readonly Purchase[], which: (purchase: Purchase) => boolean): string[] =>
  purchases.filter(which).map(({ key }) => key);

/** The fault is of an order replica: its source has the prefix of that app. The only such fault is a kill. */
const ofOrders = ({ fault }: { readonly fault: string }): boolean => fault.startsWith('order:');

/** `2 requests were …, e.g. a`; empty without names. */
const some = (names: readonly string[], what: string, noun = 'request'): string[] =>
  names.length === 0
    ? []
    : [`${count(names.length, noun)} ${names.length === 1 ? 'was' : 'were'} ${what}, e.g. ${names[0] ?? ''}`];

/** Replicas that exited although the lab did not stop them and no fault killed them. */
function unexplainedExits({ processes, balances }: MinuteEvidence): string[] {
  const killed = new Set(
    balances.flatMap(({ evidence: { history } }) =>
      history.flatMap((line) => (line.type === 'fault' && line.action === 'kill' ? [processOf(line)] : [])),
    ),
  );
  return processes.flatMap((line) =>
    line.type === 'exit' && line.asked !== true && !(line.signal === 'SIGKILL' && killed.has(processOf(line)))
      ? [`${line.replica} exited with ${line.signal ?? `code ${line.code ?? '?'}`}, and no fault explains it`]
      : [],
  );
}

const errorsIn = ({ errors }: MinuteEvidence): string[] =>
  errors.length === 0
    ? []
    : [
        `${count(errors.length, 'error')} in the logs of the replicas, e.g. ${(errors[0] ?? '').slice(0, 300)}`,
      ];

const processOf = ({ replica, pid }: HistoryLine): string => `${replica} ${pid}`;

/** Samples per balance, spread evenly over the time between its first and last request. */
const CONTENTION_SAMPLES = 200;

function sampleContention(
  history: readonly HistoryLine[],
  isContended: ((t: number) => boolean) | undefined,
): { samples: number; contended: number } {
  const times = history.flatMap((line) =>
    (line.type === 'request' || line.type === 'outcome') && runsStrategies(line) ? [line.t] : [],
  );
  const [first, last] = [times.at(0), times.at(-1)];
  if (first === undefined || last === undefined || isContended === undefined)
    return { samples: 0, contended: 0 };
  let contended = 0;
  for (let i = 0; i < CONTENTION_SAMPLES; i++)
    if (isContended(first + (i * (last - first)) / CONTENTION_SAMPLES)) contended++;
  return { samples: CONTENTION_SAMPLES, contended };
}

const countKinds = (faults: readonly { readonly kind: string }[]): Record<string, number> =>
  Object.fromEntries([...groupBy(faults, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]));

export function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const one of counts) for (const [key, n] of Object.entries(one)) sum[key] = (sum[key] ?? 0) + n;
  return sum;
}
