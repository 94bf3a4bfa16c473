import { MARKS, wordsOf, type LoadVerdict } from '#lab/verdict';
import type { Offered } from '#load-tests/arrivals';
import { inMs } from './codes';
import { markup, type Markup } from './markup';

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
  Partial<Pick<LoadVerdict, 'mechanism' | 'protectedBy'>> & { readonly because: readonly string[] };

/** The verdict in words, with its reasons. */
export function headline(title: string, verdict: Judged): Markup {
  const { verdict: word, mark, because, expected, asExpected, mechanism = null, protectedBy = [] } = verdict;
  const [first = '', ...more] = verdict.headline.split(': ');
  const must = expected.must.length === 0 ? 'no violation' : expected.must.join(', ');
  const may = expected.may.length === 0 ? '' : `; may also show ${expected.may.join(', ')}`;
  return markup`<header><p class="title">${title}</p>
<h1 class="${word === 'safe' ? 'safe' : mark}"><span aria-hidden="true">${MARKS[word === 'safe' ? 'safe' : mark].sign}</span> ${first}</h1>
<p class="lead">${more.join(': ')}</p>
${mechanism !== null && markup`<p class="lead"><strong>How:</strong> ${mechanism}.</p>`}
${word === 'safe' && protectedBy.length > 0 && markup`<p><strong>Protected by:</strong> ${protectedBy.join('; ')}.</p>`}
<p class="expected ${asExpected ? '' : 'bad'}"><strong>${asExpected ? 'As expected' : 'Not as expected'}</strong> of ${verdict.strategy} (expected: ${must}${may}).</p>
<ul>${because.map((sentence) => markup`<li>${sentence}</li>`)}</ul></header>`;
}

/** The numbers behind the verdict; numbers that should be zero and are not are highlighted. */
export function keyNumbers(verdict: LoadVerdict, latency: Latency | undefined): Markup {
  const plain = (name: string, value: string | number): Markup => tile(name, value, '');
  const { balance, moved, overtaken } = wordsOf(verdict);
  const zero = (name: string, value: number): Markup => tile(name, value, value > 0 ? 'bad' : 'zero');
  return markup`<dl class="tiles">
${plain(`initial ${balance}`, verdict.initial)}${plain(`units ${moved}`, Math.abs(verdict.sold))}${plain(`final ${balance}`, verdict.finalStock)}
${zero(`units ${overtaken}`, verdict.oversold)}${tile('updates lost', verdict.lostUpdates, verdict.lostUpdates === 0 ? 'zero' : 'bad')}
${zero(verdict.kind === 'stock' ? 'values sold twice' : 'equal new balances', verdict.duplicates.length)}${zero('two holders', verdict.overlaps.length)}
${zero('foreign releases', verdict.foreignReleases.length)}${zero('foreign renewals', verdict.foreignRenewals.length)}${zero('stuck locks', verdict.stuckLocks.length)}
${zero('deadlocks', verdict.deadLocks.length)}${zero('orphans', verdict.orphans.length)}${zero('undecided', verdict.undecided)}${verdict.refusals.length > 0 && plain('refused as stale', verdict.refusals.length)}
${verdict.outageMs !== null && plain('outage', inMs(verdict.outageMs))}
${latency && [plain('requests/s', Math.round(latency.requestsPerSecond)), plain('median latency', inMs(latency.p50)), plain('p90', inMs(latency.p90)), plain('p99', inMs(latency.p99)), plain('longest', inMs(latency.max))]}
</dl>`;
}

export const tile = (name: string, value: string | number, className: string): Markup =>
  markup`<div class="${className}"><dt>${name}</dt><dd>${typeof value === 'number' ? value.toLocaleString('en') : value}</dd></div>`;

/** A list of names and values; null when there are none. */
export const conditionsList = (heading: string, conditions: object): Markup | null => {
  const entries = new Map(flatten(conditions));
  if (entries.size === 0) return null;
  return markup`<section><h2>${heading}</h2><dl class="conditions">${[...entries].map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value === '' ? 'none' : value}</dd></div>`)}</dl></section>`;
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
