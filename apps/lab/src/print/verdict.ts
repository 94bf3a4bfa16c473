import { count } from '#lab/step';
import { wordsOf, type CartsVerdict, type LoadVerdict } from '#lab/verdict';
import { findUnfired, unexpectedLines, unexpectedText, unfiredText, type LoadRun } from '#load-tests/run';
import { lessonLines } from './lesson';
import { nextCommands } from './next';
import { speedFields, strategyWords, trafficWords } from './traffic';
import { expectationWords } from './words';
import { fields, firstOf, shellCommand, wrap, type Field } from './wrap';

/** Answer codes that are printed without `--verbose`. */
const MOST_CODES = 3;

/** A load run: verdict and reason, figures that are not zero, speed, and the commands that follow from it. */
export function printRun(run: LoadRun, folder: string, verbose: boolean): string {
  const { plan, verdict, latency } = run;
  const unfired = findUnfired(run);
  const { workMs, leaseMs, waitMs } = plan.options;
  const isMixed = plan.mixedWith !== undefined && plan.mixedWith.expected === undefined;
  return [
    ...verdictLines(verdict, isMixed ? 'no expectation for two systems' : undefined),
    ...(unfired === undefined ? [] : [wrap(unfiredText(unfired))]),
    '',
    fields([
      ['run', `${strategyWords(plan)}: ${trafficWords(run)}`],
      ...(verbose ? [['options', `work ${workMs} ms, lease ${leaseMs} ms, wait ${waitMs} ms`] as const] : []),
      ...(plan.fault === undefined ? [] : [['requested fault', plan.fault.header] as const]),
      ...figures(verdict, verbose),
      ['answers', firstOf(countsOf(verdict.outcomes), MOST_CODES, verbose)],
      ...(verbose ? [['by replica', countsOf(latency.share).join(', ')] as const] : []),
      ...speedFields(run, verbose),
      ['report', `${folder}/report.html`],
    ]),
    ...unexpectedWords(run),
    ...nextCommands(plan, verdict).flatMap(({ what, command }) => ['', `${what}:`, shellCommand(command, 2)]),
    ...(verdict.mark === 'safe' || verdict.mark === 'unknown' ? [] : lessonLines(plan.strategy)),
  ].join('\n');
}

/** Answers that no fault of the run explains, with the replicas' log lines: they are a defect of the lab or of the machine. */
function unexpectedWords({ unexpected }: LoadRun): string[] {
  const text = unexpectedText(unexpected);
  if (text === undefined) return [];
  return [
    '',
    wrap(`${text}; an example of each:`, 2),
    ...unexpectedLines(unexpected).map((line) => wrap(`  ${line}`, 4)),
  ];
}

/** The verdict on one balance, without a load of our own: verdict and reason, then the figures that are not zero. */
export const printVerdict = (verdict: LoadVerdict | CartsVerdict, verbose: boolean): string =>
  [
    ...verdictLines(verdict),
    '',
    fields([
      ...figures(verdict, verbose),
      ...(verbose ? [['answers', countsOf(verdict.outcomes).join(', ') || 'none'] as const] : []),
    ]),
  ].join('\n');

/** The headline, how the data went wrong or what protected it, and what the catalogue expects. */
function verdictLines(
  verdict: LoadVerdict | CartsVerdict,
  catalogue = `${verdict.asExpected ? 'as expected' : 'NOT as expected'}: ${expectationWords(verdict.expected)}`,
): string[] {
  const { headline, mechanism, protectedBy } = verdict;
  const reasons = [
    ...(mechanism === null ? [] : [['how', mechanism] as const]),
    ...(verdict.verdict === 'safe' ? protectedBy : []).map(
      (what, i) => [i === 0 ? 'protected by' : '', what] as const,
    ),
    ['catalogue', catalogue] as const,
  ];
  return [wrap(headline, 2), fields(reasons)];
}

const countsOf = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${name} ${n}`);

function figures(verdict: LoadVerdict | CartsVerdict, verbose: boolean): Field[] {
  const nonZero = (name: string, value: number | string): Field[] => (value === 0 ? [] : [[name, value]]);
  const { balance, moved, overtaken, anOrder } = wordsOf(verdict);
  return [
    [
      moved,
      verdict.sold < 0 ? `+${-verdict.sold} on ${verdict.initial}` : `${verdict.sold} of ${verdict.initial}`,
    ],
    [`final ${balance}`, verdict.finalStock],
    ...nonZero(`${overtaken} units`, verdict.oversold),
    ...nonZero('lost updates', verdict.lostUpdates),
    ...nonZero(
      verdict.kind === 'stock' ? 'values sold more than once' : 'equal new balances',
      duplicateWords(verdict),
    ),
    ...nonZero('two holders at once', overlapWords(verdict)),
    ...nonZero('foreign releases', verdict.foreignReleases.length),
    ...nonZero('foreign renewals', verdict.foreignRenewals.length),
    ...nonZero('locks that never end', verdict.stuckLocks.map(({ key }) => key).join(', ') || 0),
    ...nonZero('deadlocks', verdict.deadLocks.length),
    ...nonZero(
      `${verdict.kind === 'stock' ? 'movements' : 'entries'} without ${anOrder}`,
      verdict.orphans.length,
    ),
    ...nonZero('rejected as stale', rejectionWords(verdict)),
    ...('balances' in verdict ? balanceFields(verdict) : []),
    ...verdict.faults.map((fault): Field => [`fault ${fault.fault}`, faultWords(fault, verbose)]),
    ...(verdict.outageMs === null ? [] : [['lock acquired again after', `${verdict.outageMs} ms`] as const]),
  ];
}

function faultWords(
  { replica, holding, others, seenBy }: LoadVerdict['faults'][number],
  verbose: boolean,
): string {
  const observed = seenBy === null ? 'not observed' : verbose ? `observed by ${seenBy}` : 'observed';
  return [
    `on ${replica}${holding ? ' during its critical section' : ''}`,
    ...(others > 0 ? [`${count(others, 'other request')} in progress`] : []),
    observed,
  ].join(', ');
}

const balanceFields = ({ balances, tornCarts }: CartsVerdict): Field[] => [
  ...(tornCarts.length === 0 ? [] : [['carts sold in part', tornCarts.length] as const]),
  ...balances.map(({ sku, mark, sold, initial, finalStock, oversold, lostUpdates }): Field => [
    `product ${sku}`,
    [
      `${mark}: ${sold} of ${initial} sold`,
      `${finalStock} left`,
      ...(oversold === 0 ? [] : [`${oversold} oversold`]),
      ...(lostUpdates === 0 ? [] : [`${count(lostUpdates, 'update')} lost`]),
    ].join(', '),
  ]),
];

function duplicateWords({ duplicates: [first, ...more] }: LoadVerdict): string | 0 {
  if (first === undefined) return 0;
  const [a, b] = first.sales;
  return `${more.length + 1}, e.g. ${first.value}: ${a?.request} on ${a?.replica}, ${b?.request} on ${b?.replica}`;
}

function overlapWords({ overlaps: [first, ...more] }: LoadVerdict): string | 0 {
  if (first === undefined) return 0;
  return `${more.length + 1}, e.g. ${first.first} was still working when ${first.second} acquired ${first.key}`;
}

function rejectionWords({ refusals: [first, ...more] }: LoadVerdict): string | 0 {
  if (first === undefined) return 0;
  const by = first.statement === null ? 'by its holder, which noticed the loss' : `by ${first.statement}`;
  return `${more.length + 1}, e.g. ${first.request} on ${first.replica}: ${first.code}, ${by}`;
}
