import type { PromiseResult, PromiseState, Unexplained } from '#lab/explore';
import { count } from '#lab/step';
import type { LoadVerdict, CartsVerdict } from '#lab/verdict';
import { conditionsList, tile } from './headline';
import { Markup, markup } from './markup';
import { STYLE } from './style';

/** The report card of a lock: what `lab verify` has found out. */
export interface ReportedCard {
  /** The file or strategy, as it was named. */
  readonly name: string;
  /** With the lanes of the shortest schedule that breaks it. */
  readonly promises: readonly (PromiseResult & { readonly lanes?: string; readonly replay?: string })[];
  /** With the lanes of the shortest schedule that shows it. */
  readonly unexplained: readonly (Unexplained & { readonly lanes?: string; readonly replay?: string })[];
  /** Titles of the circumstances that test no promise and were not explored. */
  readonly notExplored: readonly string[];
  /** The file says which promises it does not make. */
  readonly isDeclared: boolean;
  /** Deviations from what the file declares. */
  readonly contradictions: readonly string[];
  /** Commands that the explorer did not see: then nothing is decided. */
  readonly unseen: readonly string[];
  /** What a request leaves on the servers. */
  readonly left: readonly string[];
  /** How long the explorations took. */
  readonly seconds: number;
  /** On two replicas: absent if it was not run. */
  readonly load?: {
    readonly verdict: Pick<LoadVerdict | CartsVerdict, 'headline' | 'mark' | 'verdict'>;
    readonly traffic: string;
    readonly handOvers: readonly {
      readonly strategy: string;
      readonly perSecond: number;
      readonly p50: number;
      readonly p99: number;
    }[];
    /** The report of the run, relative to the page. */
    readonly report: string;
  };
  /** Why there is no load run, although one was wanted. */
  readonly loadFailure?: string;
  readonly conditions: object;
}

/** In which circumstances a violation was seen that no broken promise explains. */
export const unexplainedText = ({ kind, schedules, circumstances }: Unexplained): string =>
  `${kind}, in ${count(schedules, 'schedule')} of ${quoted(circumstances)}; no broken promise explains it`;

/** Titles of circumstances, as a card names them. */
export const quoted = (titles: readonly string[]): string => titles.map((title) => `"${title}"`).join(', ');

const SIGNS: Readonly<Record<PromiseState, string>> = {
  kept: '✓ kept',
  broken: '✗ broken',
  'not-applicable': '– not applicable',
  unknown: '? unknown',
};
const COLORS: Readonly<Record<PromiseState, string>> = {
  kept: 'safe',
  broken: 'bad',
  'not-applicable': '',
  unknown: '',
};

/** Renders the card as one self-contained HTML page. */
export function renderCard({
  name,
  promises,
  unexplained,
  notExplored,
  isDeclared,
  contradictions,
  unseen,
  left,
  seconds,
  load,
  loadFailure,
  conditions,
}: ReportedCard): string {
  const number = (wanted: PromiseResult['state']): number =>
    promises.filter(({ state }) => state === wanted).length;
  const schedules = promises.reduce((sum, one) => sum + one.schedules, 0);
  const broken = number('broken');
  const seen = unexplained.map(({ kind }) => kind).join(', ');
  const isWrong = broken > 0 || seen !== '';
  const isAsDeclared = isDeclared && contradictions.length === 0;
  return markup`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<title>${broken} broken${seen !== '' && `, ${seen}`}: ${name}</title><style>${new Markup(STYLE)}${new Markup(OWN_STYLE)}</style></head>
<body><main>
<header><p class="title">lab verify ${name}</p>
<h1 class="${isWrong ? (isAsDeclared ? 'lock-broken' : 'data-wrong') : number('unknown') > 0 ? 'unknown' : 'safe'}">${isWrong ? `${broken === 0 ? 'No' : `${broken} of ${promises.length}`} promises broken${seen === '' ? '' : `, also seen: ${seen}`}${isAsDeclared ? ', as declared' : ''}` : number('unknown') > 0 ? `No promise broken, ${number('unknown')} not decided` : `All ${promises.length - number('not-applicable')} promises kept`}</h1>
<p class="lead">Every order of the steps of two requests on real servers, with faults.</p>
<ul>${unexplained.map((one) => markup`<li class="bad">Also seen: ${unexplainedText(one)}</li>`)}${contradictions.map((text) => markup`<li class="bad">Not as declared: ${text}</li>`)}${unseen.map((text) => markup`<li class="bad">Not seen by the explorer: ${text}</li>`)}${notExplored.length > 0 && markup`<li>Not explored: ${quoted(notExplored)}</li>`}${left.map((text) => markup`<li>Left behind by a request: ${text}</li>`)}</ul></header>
<dl class="tiles">${tile('kept', number('kept'), '')}${tile('broken', broken, broken > 0 ? 'bad' : 'zero')}${tile('not applicable', number('not-applicable'), '')}${tile('unknown', number('unknown'), '')}${tile('schedules run', schedules, '')}${tile('time', `${seconds.toFixed(0)} s`, '')}</dl>
<section><h2>Promises</h2><div class="scroll"><table>
<thead><tr><th></th><th>promise</th><th>what it means</th><th class="n">schedules</th><th class="n">violating</th></tr></thead>
${promises.map(({ state, capability, about, because, schedules: run, violating, token }) => markup`<tr><td class="${COLORS[state]}">${SIGNS[state]}</td><td>${token === undefined ? capability : markup`<a href="#${capability}">${capability}</a>`}</td><td>${about}${because !== undefined && ` (${because})`}</td><td class="n">${run}</td><td class="n">${violating}</td></tr>`)}
</table></div></section>
${load !== undefined && loadSection(load)}${loadFailure !== undefined && markup`<section><h2>Under load</h2><p>No result: ${loadFailure}</p></section>`}
${promises.map(({ capability, about, sentence, lanes, replay, token }) => token !== undefined && markup`<section id="${capability}"><h2>${capability}</h2><p class="how">Broken: ${about}.</p><p>${sentence}</p>${lanes === undefined ? markup`<p class="how">The schedule is the one above with the same token.</p>` : markup`<div class="scroll"><pre>${lanes}</pre></div>`}<p><code>${replay}</code></p></section>`)}
${unexplained.map(({ kind, sentence, lanes, replay }) => lanes !== undefined && markup`<section><h2>Also seen: ${kind}</h2><p>${sentence}</p><div class="scroll"><pre>${lanes}</pre></div><p><code>${replay}</code></p></section>`)}
${conditionsList('Conditions', conditions)}
</main></body>
</html>
`.text;
}

const loadSection = ({ verdict, traffic, handOvers, report }: ReportedCard['load'] & object): Markup =>
  markup`<section><h2>Under load</h2><p class="how">${traffic}</p>
<p class="${verdict.mark === 'data-wrong' ? 'bad' : ''}">${verdict.headline}. <a href="${report}">Report of this run</a></p>
<p class="how">Hand-overs: buyers of one product get the lock from one another. Medians, in turns in the same lab.</p>
<div class="scroll"><table><thead><tr><th>strategy</th><th class="n">hand-overs/s</th><th class="n">p50 ms</th><th class="n">p99 ms</th></tr></thead>
${handOvers.map(({ strategy, perSecond, p50, p99 }) => markup`<tr><td><code>${strategy}</code></td><td class="n">${Math.round(perSecond)}</td><td class="n">${Math.round(p50)}</td><td class="n">${Math.round(p99)}</td></tr>`)}
</table></div></section>`;

const OWN_STYLE = `
pre { font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; background: var(--panel); padding: 12px 14px; margin: 8px 0; }
td.safe { color: var(--good); } td.safe, td.bad { font-weight: 600; } td:first-child { white-space: nowrap; } a { color: var(--c0); }
`;
