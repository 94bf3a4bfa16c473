import type { DrillEvidence, DrillVerdict } from '#lab/verdict';
import { conditionsList, headline, tile } from './headline';
import { Markup, markup } from './markup';
import { section } from './plots/chart';
import { drillLanes } from './plots/drill-lanes';
import { STYLE } from './style';
import { TEXTS } from './texts';

/** One run of a drill, judged. */
export interface ReportedDrill {
  readonly name: string;
  readonly shows: string;
  readonly certainBy: string;
  readonly evidence: DrillEvidence;
  readonly verdict: DrillVerdict;
}

/** Renders the run as one self-contained HTML page, like `renderReport`. */
export function renderDrill({ name, shows, certainBy, evidence, verdict }: ReportedDrill): string {
  const { initial, final, buyers, facts, figures, timeline, strategy } = evidence;
  return markup`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<title>${verdict.verdict}: ${name}</title><style>${new Markup(STYLE)}</style></head>
<body><main>
${headline(name, { ...verdict, strategy }, TEXTS.en)}
<p>${shows}. It is certain because ${certainBy}.</p>
<dl class="tiles">${tile('units before', initial, '')}${tile('units sold', verdict.sold, verdict.sold > initial ? 'bad' : '')}${tile('units left', final, '')}</dl>
<section><h2>Answers to the buyers</h2><div class="scroll"><table>${buyers.map((buyer) => markup`<tr><td>${buyer.name}</td><td><code>${buyer.code}</code></td><td>${buyer.text}</td></tr>`)}</table></div></section>
<section><h2>Facts</h2><p class="how">Reported by a server or the kernel; a fact that does not hold makes the verdict unknown.</p>
<ul>${facts.map(({ text, holds }) => markup`<li class="${holds ? '' : 'bad'}">${holds ? '✓' : '✗ not'} ${text}</li>`)}</ul></section>
${conditionsList('Figures', figures)}
${section(drillLanes(timeline))}
</main></body>
</html>
`.text;
}
