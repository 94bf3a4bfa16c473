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
  const goals = result.results.filter(({ name }) => EXACT.has(name)).flatMap(goalsOf);
  process.stdout.write(`${printGoals(goals, false)}\n\n${printGuards(result)}\n`);
  const met = goals.every((goal) => goal.met);
  if (json !== undefined) writeJson(json, { ...result, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

/** An exact limiter is as fast as the fastest npm package, which is not exact, with one command per decision. */
const goalsOf = ({ name, ofFastestPeer, sent }: GuardResult): Goal[] => [
  {
    what: `${name} / fastest package`,
    measured: ofFastestPeer.toFixed(2),
    goal: 'at least 1',
    met: ofFastestPeer >= 1,
  },
  { what: `${name}: commands per decision`, measured: sent.toFixed(2), goal: 'at most 1', met: sent <= 1 },
];
