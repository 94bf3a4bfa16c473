import type { HistoryLine, ProcessLine } from '#lab/step';
import type { ViolationKind } from '#lab/strategy';
import { groupBy } from '../group-by';
import { isUndocumented, type Evidence } from '../load/evidence';
import { judgeLoad } from '../load/judge';
import { contention } from './contention';

/** A fault that was done to a server or to the network. Times as in the history: microseconds. */
export interface ServerFault {
  readonly kind: string;
  /** Whom it hit: `redis`, `redis-3`, `inventory-1`. */
  readonly target: string;
  /** Just before it was done, and when it was over. */
  readonly from: number;
  readonly until: number;
  /** Who shows that it was felt: steps of the replicas that failed or were refused, or the server that did it. Null: nobody. */
  readonly feltBy: string | null;
}

/** One balance, sold by one strategy during a minute. */
export interface SoakBalance {
  readonly evidence: Evidence;
  /** Kinds that its strategy, by the catalogue, may show under the faults of this minute: they move no rows. */
  readonly allowed: readonly ViolationKind[];
}

/** Everything that the verdict on one minute is computed from; taken at rest, when leases are over. */
export interface MinuteEvidence {
  readonly number: number;
  readonly balances: readonly SoakBalance[];
  readonly serverFaults: readonly ServerFault[];
  /** Starts, exits, pauses of all replicas. */
  readonly processes: readonly ProcessLine[];
  /** The orders that were left half-way have been reconciled: none may be missing any more. */
  readonly reconciled: boolean;
  /** Lines of the replicas' logs that are errors. */
  readonly errors: readonly string[];
}

export interface MinuteVerdict {
  readonly number: number;
  /** Something contended: a minute in which nothing did proves nothing. */
  readonly counts: boolean;
  /** Of all looks at the balances while they were sold, how many found a holder and somebody else. */
  readonly contendedPercent: number;
  readonly sold: number;
  readonly balances: number;
  /** Balances that were sold to the last unit. */
  readonly soldOut: number;
  readonly answers: Readonly<Record<string, number>>;
  /** Buyers who were told that nobody knows whether they bought. */
  readonly toldUnknown: number;
  /** Purchases that were asked for more than once under their key, and how many of them somebody was told are bought. */
  readonly insisted: { readonly purchases: number; readonly bought: number };
  /** Faults by kind: those that hit a holder, or a server, while others were there. */
  readonly fired: Readonly<Record<string, number>>;
  /** Faults that fired otherwise: they do not count. */
  readonly inVain: Readonly<Record<string, number>>;
  /** What did not hold: one sentence each. */
  readonly wrong: readonly string[];
}

/** Answers that say: nobody knows whether it was sold. */
const NOBODY_KNOWS: ReadonlySet<string> = new Set([
  'OUTCOME_UNKNOWN',
  'NO_ANSWER',
  'IDEMPOTENCY.IN_PROGRESS',
]);
const MAY_HAVE_BOUGHT: ReadonlySet<string> = new Set(['APPLIED', ...NOBODY_KNOWS]);

/** Judges one minute. Pure: the same evidence, the same verdict. */
export function judgeMinute(minute: MinuteEvidence): MinuteVerdict {
  const judged = minute.balances.map((balance) => judgeBalance(balance));
  const contended = minute.balances.map(({ evidence }) => contention(evidence.history));
  const isContended = (t: number): boolean => contended.some((at) => at(t));
  const requestFaults = judged.flatMap(({ faults }) =>
    faults.map((fault) => {
      const { action, seenBy, holding, others, t } = fault;
      // who places an order holds no lock: it is enough that others do
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
  const insisted = judged.flatMap(({ insisted: purchases }) => purchases);
  const looks = minute.balances.map(({ evidence }, i) => looked(evidence.history, contended[i]));
  const hits = looks.reduce((sum, { contended: n }) => sum + n, 0);
  const all = looks.reduce((sum, { looks: n }) => sum + n, 0);
  return {
    number: minute.number,
    counts: hits > 0,
    contendedPercent: all === 0 ? 0 : Math.round((100 * hits) / all),
    sold: judged.reduce((sum, { sold }) => sum + sold, 0),
    balances: judged.length,
    soldOut: judged.filter(({ soldOut }) => soldOut).length,
    answers: sumOf(judged.map(({ answers }) => answers)),
    toldUnknown: judged.reduce((sum, { toldUnknown }) => sum + toldUnknown, 0),
    insisted: { purchases: insisted.length, bought: insisted.filter(isBought).length },
    fired: count(faults.filter(({ counts }) => counts)),
    inVain: count(faults.filter(({ counts }) => !counts)),
    wrong: [
      ...judged.flatMap(({ wrong }) => wrong),
      ...(minute.reconciled ? [] : ['orders were left half-way, and could not be reconciled']),
      ...unexplainedExits(minute),
      ...errorsIn(minute),
    ],
  };
}

function judgeBalance({ evidence, allowed }: SoakBalance) {
  const verdict = judgeLoad(evidence, { must: [], may: allowed });
  const codes = new Map(evidence.answers.map(({ request, code }) => [request, code]));
  const misled = evidence.orders
    .map(({ request }) => request)
    .filter((request) => !MAY_HAVE_BOUGHT.has(codes.get(request) ?? 'NO_ANSWER'));
  const ordered = new Set(evidence.orders.map(({ request }) => request));
  const moved = new Set(evidence.movements.map(({ request }) => request));
  const vanished = evidence.answers.filter(
    ({ request, code }) => code === 'APPLIED' && !(ordered.has(request) && moved.has(request)),
  );
  const internal = evidence.answers.filter(({ code }) => isUndocumented(code));
  const keyed = purchasesOf(evidence);
  const about = `${evidence.sku} (${evidence.strategy})`;
  const others = verdict.violations.filter((kind) => kind !== 'orphan' && !allowed.includes(kind));
  const sentences = [
    ...(others.length > 0 ? [`${others.join(', ')}: ${verdict.because.join('; ')}`] : []),
    ...some(misled, 'sold, and their buyers were told that they were not'),
    ...some(
      keysOf(keyed, ({ orders }) => orders > 1),
      'bought twice',
      'Idempotency-Keys',
    ),
    ...some(
      keysOf(keyed, ({ orders, code }) => orders > 0 && !MAY_HAVE_BOUGHT.has(code)),
      'bought, and its buyer was told at last that it was not',
      'Idempotency-Keys',
    ),
    ...some(verdict.orphans, 'taken from the stock, and never ordered'),
    ...some(verdict.phantoms, 'ordered, and nothing was taken from the stock'),
    ...some(
      vanished.map(({ request }) => request),
      'told APPLIED, and the order or the movement is missing',
    ),
    ...some(
      internal.map(({ request }) => request),
      'answered with an error that is none of the shop’s own',
    ),
    ...(evidence.moving === true ? ['requests came while the rows were read'] : []),
    ...some(verdict.unfinished, 'not ended'),
    ...evidence.locks.map(({ key }) => `the lock ${key} is there, and all leases are over`),
    ...(verdict.finalStock < 0 ? [`${verdict.finalStock} units left`] : []),
  ];
  return {
    sold: verdict.sold,
    soldOut: verdict.finalStock === 0,
    answers: verdict.outcomes,
    faults: verdict.faults,
    insisted: keyed.filter(({ asked }) => asked > 1),
    toldUnknown: evidence.answers.filter(({ code }) => NOBODY_KNOWS.has(code)).length,
    wrong: sentences.map((sentence) => `${about}: ${sentence}`),
  };
}

/** What was asked for under one key. */
interface Purchase {
  readonly key: string;
  /** How often it was asked for, and what it was told at last. */
  readonly asked: number;
  readonly code: string;
  /** Orders that came of it. */
  readonly orders: number;
}

function purchasesOf({ answers, orders }: Evidence): readonly Purchase[] {
  const keyed = answers.flatMap((answer) =>
    answer.key === undefined ? [] : [{ ...answer, key: answer.key }],
  );
  const ordered = groupBy(orders, ({ request }) => request);
  return [...groupBy(keyed, ({ key }) => key)].map(([key, told]) => ({
    key,
    asked: told.length,
    code: told.at(-1)?.code ?? 'NO_ANSWER',
    orders: [...new Set(told.map(({ request }) => request))].reduce(
      (sum, request) => sum + (ordered.get(request)?.length ?? 0),
      0,
    ),
  }));
}

const isBought = ({ code }: Purchase): boolean => code === 'APPLIED';

const keysOf = (purchases: readonly Purchase[], which: (purchase: Purchase) => boolean): string[] =>
  purchases.filter(which).map(({ key }) => key);

/** A fault of an order replica, by the prefix that names its app: a kill, there is no other one. */
const ofOrders = ({ fault }: { readonly fault: string }): boolean => fault.startsWith('order:');

const some = (names: readonly string[], what: string, of = 'requests'): string[] =>
  names.length === 0 ? [] : [`${names.length} ${of} were ${what}, e.g. ${names[0] ?? ''}`];

/** Replicas that ended though nobody had asked them to, and no fault had killed them. */
function unexplainedExits({ processes, balances }: MinuteEvidence): string[] {
  const killed = new Set(
    balances.flatMap(({ evidence: { history } }) =>
      history.flatMap((line) => (line.type === 'fault' && line.action === 'kill' ? [processOf(line)] : [])),
    ),
  );
  return processes.flatMap((line) =>
    line.type === 'exit' && line.asked !== true && !(line.signal === 'SIGKILL' && killed.has(processOf(line)))
      ? [`${line.replica} ended by ${line.signal ?? `code ${line.code ?? '?'}`}, and no fault explains it`]
      : [],
  );
}

const errorsIn = ({ errors }: MinuteEvidence): string[] =>
  errors.length === 0
    ? []
    : [`${errors.length} errors in the logs of the replicas, e.g. ${(errors[0] ?? '').slice(0, 300)}`];

const processOf = ({ replica, pid }: HistoryLine): string => `${replica} ${pid}`;

/** At each balance, evenly over the time in which it was sold. */
const LOOKS = 200;

function looked(
  history: readonly HistoryLine[],
  isContended: ((t: number) => boolean) | undefined,
): { looks: number; contended: number } {
  const times = history.flatMap((line) =>
    (line.type === 'request' || line.type === 'outcome') && line.app === 'inventory' ? [line.t] : [],
  );
  const [first, last] = [times.at(0), times.at(-1)];
  if (first === undefined || last === undefined || isContended === undefined)
    return { looks: 0, contended: 0 };
  let contended = 0;
  for (let i = 0; i < LOOKS; i++) if (isContended(first + (i * (last - first)) / LOOKS)) contended++;
  return { looks: LOOKS, contended };
}

const count = (faults: readonly { readonly kind: string }[]): Record<string, number> =>
  Object.fromEntries([...groupBy(faults, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]));

export function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const one of counts) for (const [key, n] of Object.entries(one)) sum[key] = (sum[key] ?? 0) + n;
  return sum;
}
