import { MARKS, type BalanceWords, type LoadVerdict } from '#lab/verdict';
import type { Offered } from '#load-tests/arrivals';
import { inMs } from './codes';
import { markup, type Markup } from './markup';
import type { ReportTexts } from './texts';

/** Milliseconds. */
interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Measurements of the load generator. */
export interface Latency extends Percentiles {
  readonly requestsPerSecond: number;
  /** Of an open loop: the rate, and the latencies from the send instead of from the due time. */
  readonly offered?: Offered;
  readonly uncorrected?: Percentiles;
}

/** The parts of a verdict that load runs and drills share. */
type Judged = Pick<LoadVerdict, 'verdict' | 'mark' | 'headline' | 'expected' | 'asExpected' | 'strategy'> &
  Partial<Pick<LoadVerdict, 'mechanism' | 'protectedBy'>> & {
    readonly because: readonly string[];
    readonly unexpected?: string | undefined;
  };

/** The verdict in words, with its reasons. */
export function headline(title: string, verdict: Judged, t: ReportTexts): Markup {
  const { verdict: word, mark, because, expected, asExpected, unexpected } = verdict;
  const { mechanism = null, protectedBy = [] } = verdict;
  const [first = '', ...more] = verdict.headline.split(t.colon);
  return markup`<header><p class="title">${title}</p>
<h1 class="${word === 'safe' ? 'safe' : mark}"><span aria-hidden="true">${MARKS[word === 'safe' ? 'safe' : mark].sign}</span> ${first}</h1>
<p class="lead">${more.join(t.colon)}</p>
${unexpected !== undefined && markup`<p class="expected bad"><strong>${unexpected}</strong>${t.end}</p>`}
${mechanism !== null && markup`<p class="lead"><strong>${t.how}</strong> ${mechanism}${t.end}</p>`}
${word === 'safe' && protectedBy.length > 0 && markup`<p><strong>${t.protectedBy}</strong> ${protectedBy.join('; ')}${t.end}</p>`}
<p class="expected ${asExpected ? '' : 'bad'}"><strong>${asExpected ? t.asExpected : t.notAsExpected}</strong>${t.expectation(verdict.strategy, expected.must, expected.may)}</p>
<ul>${because.map((sentence) => markup`<li>${sentence}</li>`)}</ul></header>`;
}

/** A link to the report in the other language. */
export const otherLanguage = (
  address: string | undefined,
  { otherLanguage: other }: ReportTexts,
): Markup | null =>
  address === undefined
    ? null
    : markup`<nav><a href="${address}" lang="${other.htmlLanguage}" hreflang="${other.htmlLanguage}">${other.name}</a></nav>`;

/** The numbers behind the verdict; numbers that should be zero and are not are highlighted. */
export function keyNumbers(
  verdict: LoadVerdict,
  latency: Latency | undefined,
  words: BalanceWords,
  { numbers }: ReportTexts,
): Markup {
  const plain = (name: string, value: string | number): Markup => tile(name, value, '');
  const zero = (name: string, value: number): Markup => tile(name, value, value > 0 ? 'bad' : 'zero');
  return markup`<dl class="tiles">
${plain(numbers.initial(words), verdict.initial)}${plain(numbers.moved(words), Math.abs(verdict.sold))}${plain(numbers.final(words), verdict.finalStock)}
${zero(numbers.overtaken(words), verdict.oversold)}${tile(numbers.lostUpdates, verdict.lostUpdates, verdict.lostUpdates === 0 ? 'zero' : 'bad')}
${zero(numbers.duplicates(verdict.kind === 'stock'), verdict.duplicates.length)}${zero(numbers.overlaps, verdict.overlaps.length)}
${zero(numbers.foreignReleases, verdict.foreignReleases.length)}${zero(numbers.foreignRenewals, verdict.foreignRenewals.length)}${zero(numbers.stuckLocks, verdict.stuckLocks.length)}
${zero(numbers.deadLocks, verdict.deadLocks.length)}${zero(numbers.orphans, verdict.orphans.length)}${zero(numbers.undecided, verdict.undecided)}${verdict.refusals.length > 0 && plain(numbers.refusals, verdict.refusals.length)}
${verdict.outageMs !== null && plain(numbers.outage, inMs(verdict.outageMs))}
${latency && [plain(numbers.perSecond, Math.round(latency.requestsPerSecond)), plain(numbers.medianLatency, inMs(latency.p50)), plain('p90', inMs(latency.p90)), plain('p99', inMs(latency.p99)), plain(numbers.longest, inMs(latency.max))]}
</dl>`;
}

export const tile = (name: string, value: string | number, className: string): Markup =>
  markup`<div class="${className}"><dt>${name}</dt><dd>${typeof value === 'number' ? value.toLocaleString('en') : value}</dd></div>`;

/** A list of names and values; null when there are none. `none`: the text for an empty value. */
export const conditionsList = (heading: string, conditions: object, none = 'none'): Markup | null => {
  const entries = new Map(flatten(conditions));
  if (entries.size === 0) return null;
  return markup`<section><h2>${heading}</h2><dl class="conditions">${[...entries].map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value === '' ? none : value}</dd></div>`)}</dl></section>`;
};

/** Names and values; nested names are prefixed with the outer name, except inside `options`. */
const flatten = (outer: object): (readonly [string, string])[] =>
  Object.entries(outer).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === null) return [];
    if (typeof value !== 'object')
      return [[name, typeof value === 'string' ? value : JSON.stringify(value)] as const];
    return flatten(value).map(
      ([inner, text]) => [name === 'options' ? inner : `${name} ${inner}`, text] as const,
    );
  });
