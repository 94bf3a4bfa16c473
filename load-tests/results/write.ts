import { LANGUAGES, withoutForeignLocks, type Language } from '#lab/verdict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInChinese, type DrillRun } from '../drills';
import { renderCard, renderDrill, renderReport, type ReportedCard } from '../report';
import { findUnfired, unexpectedText, unfiredInChinese, unfiredText, type LoadRun } from '../run';
import { newFolder, reportName } from './folders';

/** A run in the format of `--json` and verdict.json. */
export const runJson = ({
  plan,
  verdict,
  latency,
  unexpected,
  conditions,
}: LoadRun): Record<string, unknown> => ({
  ...verdict,
  options: plan.options,
  plan,
  latency,
  unexpected,
  conditions,
});

/**
 * Writes history.jsonl, verdict.json, report.html and its plots as images under runs/. Returns the folder.
 * For a run of carts, report.html and its images cover the first product, and report-SKU.html each other product. Each report
 * is written in every language (report.zh.html); the images are in `language`, and verdict.json is in English.
 */
export function writeRunFolder(run: LoadRun, name: string, language: Language = 'en'): string {
  const folder = newFolder(name);
  writeFileSync(join(folder, 'history.jsonl'), historyText(run));
  writeFileSync(join(folder, 'verdict.json'), `${JSON.stringify(runJson(run), null, 2)}\n`);
  const { plan, verdict, evidences, conditions, latency, unexpected } = run;
  const unfired = findUnfired(run);
  evidences.forEach((evidence, i) => {
    const { balance } = evidence;
    const own = 'balances' in verdict ? verdict.balances.find(({ sku }) => sku === balance) : verdict;
    const ending = i === 0 ? '' : `-${balance}`;
    const history = withoutForeignLocks(evidence);
    for (const one of LANGUAGES) {
      const { page, images } = renderReport({
        title: evidences.length > 1 ? `${name}: ${balance}` : name,
        verdict: own ?? verdict,
        evidence: { ...evidence, history },
        options: { ...plan.options, ...plan },
        conditions,
        latency,
        unexpected: unexpectedText(unexpected, one),
        unfired: unfired && UNFIRED_TEXTS[one](unfired),
        language: one,
        other: reportName(otherThan(one), ending),
      });
      writeFileSync(join(folder, reportName(one, ending)), page);
      if (one !== language) continue;
      for (const [plot, image] of images) writeFileSync(join(folder, `${plot}${ending}.svg`), image);
    }
  });
  return folder;
}

const UNFIRED_TEXTS = { en: unfiredText, zh: unfiredInChinese };

const otherThan = (language: Language): Language => (language === 'en' ? 'zh' : 'en');

/** Writes verdict.json, with the evidence, and the report of a drill in every language under runs/. */
export function writeDrillFolder(run: DrillRun): void {
  const { name } = run.drill;
  const folder = newFolder(name.replaceAll('/', '-'));
  writeFileSync(
    join(folder, 'verdict.json'),
    `${JSON.stringify({ ...run.verdict, evidence: run.evidence }, null, 2)}\n`,
  );
  for (const language of LANGUAGES) {
    const { drill, evidence, verdict } = language === 'zh' ? runInChinese(run) : run;
    const page = renderDrill({
      name,
      shows: drill.shows,
      certainBy: drill.certainBy,
      evidence,
      verdict,
      language,
      other: reportName(otherThan(language)),
    });
    writeFileSync(join(folder, reportName(language)), page);
  }
}

/** Writes card.html into the folder of its load run, or into a new one. Returns the path of the page. */
export function writeCard(card: ReportedCard, strategy: string, folder = newFolder(strategy)): string {
  const page = join(folder, 'card.html');
  writeFileSync(page, renderCard(card));
  return page;
}

/** One JSON object per line, sorted by time. A request for several products is written once. */
function historyText({ evidences }: LoadRun): string {
  const lines = new Map(
    evidences.flatMap(({ history }) => history.map((line) => [JSON.stringify(line), line.t] as const)),
  );
  return [...lines]
    .sort(([, a], [, b]) => a - b)
    .map(([line]) => `${line}\n`)
    .join('');
}
