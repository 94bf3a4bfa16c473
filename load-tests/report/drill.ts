import type { DrillEvidence, DrillVerdict, Language } from '#lab/verdict';
import { conditionsList, headline, otherLanguage, tile } from './headline';
import { Markup, markup } from './markup';
import { section } from './plots/chart';
import { drillLanes } from './plots/drill-lanes';
import { STYLE } from './style';
import { TEXTS } from './texts';
import { drillVerdictInChinese } from './verdict-in-chinese';

/** One run of a drill, judged. */
export interface ReportedDrill {
  readonly name: string;
  readonly shows: string;
  readonly certainBy: string;
  readonly evidence: DrillEvidence;
  readonly verdict: DrillVerdict;
  /** Default: English. `shows`, `certainBy` and `evidence` are rendered as they are. */
  readonly language?: Language;
  /** Address of the same report in the other language. */
  readonly other?: string;
}

/** Renders the run as one self-contained HTML page, like `renderReport`. */
export function renderDrill({
  name,
  shows,
  certainBy,
  evidence,
  verdict,
  language = 'en',
  other,
}: ReportedDrill): string {
  const { initial, final, buyers, facts, figures, timeline, strategy } = evidence;
  const t = TEXTS[language];
  const inChinese = language === 'zh' ? drillVerdictInChinese({ ...verdict, initial }) : undefined;
  const localized = { ...verdict, strategy, ...inChinese };
  return markup`<!doctype html>
<html lang="${t.htmlLanguage}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<title>${localized.headline.split(t.colon)[0] ?? verdict.verdict}${t.colon}${name}</title><style>${new Markup(STYLE)}</style></head>
<body><main>
${otherLanguage(other, t)}
${headline(name, localized, t)}
<p>${t.drill.lead(shows, certainBy)}</p>
<dl class="tiles">${tile(t.drill.initial, initial, '')}${tile(t.drill.sold, verdict.sold, verdict.sold > initial ? 'bad' : '')}${tile(t.drill.final, final, '')}</dl>
<section><h2>${t.drill.answers}</h2><div class="scroll"><table>${buyers.map((buyer) => markup`<tr><td>${buyer.name}</td><td><code>${buyer.code}</code></td><td>${buyer.text}</td></tr>`)}</table></div></section>
<section><h2>${t.drill.facts}</h2><p class="how">${t.drill.howFacts}</p>
<ul>${facts.map(({ text, holds }) => markup`<li class="${holds ? '' : 'bad'}">${holds ? '✓' : t.drill.not} ${text}</li>`)}</ul></section>
${conditionsList(t.drill.figures, figures)}
${section(drillLanes(timeline, t))}
</main></body>
</html>
`.text;
}
