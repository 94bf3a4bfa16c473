import { LIMITERS } from '#lab/limit';
import { ensureInstalled, projectRoot } from '#lab/stack';
import { join } from 'node:path';
import { benchGuards, type GuardResult } from '#load-tests/bench';
import { writeJson, type Context } from '../command';
import { EXIT } from '../failure';
import { printGoals, type Goal } from '../print/bench';
import { printGuards } from '../print/bench-guards';

export interface GuardsOptions {
  readonly repeats: number;
  readonly measureMs: number;
  readonly json?: string;
}

/** The limiters that keep their promise in every circumstance of the catalogue. */
const EXACT = new Set(
  LIMITERS.filter(({ expected }) => Object.keys(expected).length === 0).map(({ name }) => name),
);

export async function guards({ json, ...options }: GuardsOptions, context: Context): Promise<number> {
  const { progress, signal, onEnd } = context;
  const onProgress = (text: string): void => {
    progress.say(text);
  };
  await ensureInstalled(onProgress);
  const result = await benchGuards({
    ...options,
    dir: join(projectRoot(), '.lab'),
    signal,
    onStart: onEnd,
    onProgress,
  });
  const goals = goalsOf(result.results.filter(({ name }) => EXACT.has(name)));
  process.stdout.write(`${printGoals(goals, false)}\n\n${printGuards(result)}\n`);
  const met = goals.every((goal) => goal.met);
  if (json !== undefined) writeJson(json, { ...result, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

/**
 * The fastest exact limiter is as fast as the fastest npm package, none of which is exact; each exact limiter sends one command
 * per decision.
 */
function goalsOf(exact: readonly GuardResult[]): Goal[] {
  const fastest = exact.reduce((best, one) => (one.ofFastestPeer > best.ofFastestPeer ? one : best));
  return [
    {
      what: `${fastest.name} / fastest package`,
      measured: fastest.ofFastestPeer.toFixed(2),
      goal: 'at least 1',
      met: fastest.ofFastestPeer >= 1,
    },
    ...exact.map(({ name, sent }) => ({
      what: `${name}: commands per decision`,
      measured: sent.toFixed(2),
      goal: 'at most 1',
      met: sent <= 1,
    })),
  ];
}
