import { projectRoot } from '#lab/stack';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { renderReport } from '#load-tests/report';
import type { LoadRun } from '#load-tests/run';

/** A run as `--json` and verdict.json have it. */
export const runJson = ({ plan, verdict, latency, conditions }: LoadRun): Record<string, unknown> => ({
  ...verdict,
  options: plan.options,
  plan,
  latency,
  conditions,
});

/** Writes history.jsonl, verdict.json and report.html under runs/; returns the folder, relative to where we are. */
export function writeRunFolder(run: LoadRun, name: string): string {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const folder = join(projectRoot(), 'runs', `${stamp}-${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'history.jsonl'),
    run.evidence.history.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  writeFileSync(join(folder, 'verdict.json'), `${JSON.stringify(runJson(run), null, 2)}\n`);
  const { plan, verdict, evidence, conditions, latency } = run;
  const report = renderReport({
    title: name,
    verdict,
    evidence,
    options: { ...plan.options, ...plan },
    conditions,
    latency,
  });
  writeFileSync(join(folder, 'report.html'), report);
  return relative(process.cwd(), folder) || '.';
}
