import type { Evidence, LoadVerdict, Language } from '#lab/verdict';
import { outcomesOf } from './codes';
import { excerptOf } from './excerpt';
import { conditionsList, headline, keyNumbers, otherLanguage, type Latency } from './headline';
import { intervalsOf } from './intervals';
import { Markup, markup } from './markup';
import { renderImage } from './image';
import { section } from './plots/chart';
import { lanesPlot } from './plots/lanes';
import { latencyPlot } from './plots/latency';
import { outcomesPlot } from './plots/outcomes';
import { stockPlot } from './plots/stock';
import { STYLE } from './style';
import { faultTable, findings, openLoopTable, outcomeTable, refusalTable } from './tables';
import { TEXTS } from './texts';
import { timelineOf } from './timeline';

export { quoted, renderCard, unexplainedText, type ReportedCard } from './card';
export { renderDrill } from './drill';
export { Markup, markup } from './markup';
export { CREDIT } from './image';
export { LIVE_STYLE, renderLiveLanes } from './live-lanes';
export { drillVerdictInChinese, verdictInChinese } from './verdict-in-chinese';

/** One load run, judged. */
export interface ReportedRun {
  /** Title of the page. */
  readonly title: string;
  readonly verdict: LoadVerdict;
  readonly evidence: Evidence;
  /** Parameters of the run: strategy options, requests, connections, … */
  readonly options: Readonly<Record<string, unknown>>;
  /** Versions, commit, machine. */
  readonly conditions: Readonly<Record<string, string | number | boolean>>;
  readonly latency?: Latency;
  /** How many answers were unexpected, in `language`; the verdict is on the data alone. */
  readonly unexpected?: string | undefined;
  /** Why a requested fault did not fire, in `language`. */
  readonly unfired?: string | undefined;
  /** Default: English. */
  readonly language?: Language;
  /** Address of the same report in the other language. */
  readonly other?: string;
}

/** A run as a page, and its plots as images. */
export interface Report {
  /** A self-contained HTML page, without scripts or network access. */
  readonly page: string;
  /** SVG by its name; a plot without data is left out. */
  readonly images: ReadonlyMap<string, string>;
}

/** Renders the run. Every text is escaped. */
export function renderReport({
  title,
  verdict,
  evidence,
  options,
  conditions,
  latency,
  unexpected,
  unfired,
  language = 'en',
  other,
}: ReportedRun): Report {
  const t = TEXTS[language];
  const sentences = t.sentencesOf(verdict);
  const because = [...sentences.because, ...(unfired === undefined ? [] : [unfired])];
  const localized = { ...verdict, ...sentences, because };
  const timeline = timelineOf(evidence);
  const intervals = intervalsOf(evidence, verdict, timeline);
  const outcomes = outcomesOf(evidence.answers);
  const words = t.words(verdict.kind, verdict.sold < 0);
  const figures = {
    stock: stockPlot(evidence, timeline, words, t),
    holders: lanesPlot(intervals, excerptOf(intervals, verdict, timeline), timeline, words, t),
    outcomes: outcomesPlot(outcomes, timeline, t),
    latency: latencyPlot(outcomes, t),
  };
  const page = markup`<!doctype html>
<html lang="${t.htmlLanguage}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<title>${localized.headline.split(t.colon)[0] ?? verdict.verdict}${t.colon}${title}</title><style>${new Markup(STYLE)}</style></head>
<body><main>
${otherLanguage(other, t)}
${headline(title, { ...localized, unexpected }, t)}
${keyNumbers(verdict, latency, words, t)}
${section(figures.stock)}
${section(figures.holders)}
${faultTable(verdict, t)}
${findings(verdict, words, t)}
${refusalTable(verdict, t)}
${openLoopTable(latency, t)}
${section(figures.outcomes)}
${section(figures.latency)}
${outcomeTable(outcomes, t)}
${conditionsList(t.parameters, { balance: evidence.balance, ...options }, t.none)}
${conditionsList(t.conditions, conditions, t.none)}
</main></body>
</html>
`;
  const images = Object.entries(figures).flatMap(([name, figure]) => {
    const image = renderImage(figure, `${title}${t.colon}${localized.headline}`);
    return image === undefined ? [] : [[name, image] as const];
  });
  return { page: page.text, images: new Map(images) };
}
