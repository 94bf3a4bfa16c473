import { ensureInstalled, projectRoot } from '#lab/stack';
import { benchStampede, type StampedeResult } from '#load-tests/bench';
import { join } from 'node:path';
import { writeJson, type Context } from '../command';
import { EXIT } from '../failure';
import { printGoals, type Goal } from '../print/bench';
import { printStampede } from '../print/bench-stampede';

export interface StampedeOptions {
  readonly readers: number;
  readonly repeats: number;
  readonly json?: string;
}

/** The guard that must be as fast at an expiry as with a fresh page, and how fast. */
const JUDGED = 'page/stale';
const GOALS = { rebuilds: 1, p99OfWarm: 1.2 };

export async function stampede({ json, ...options }: StampedeOptions, context: Context): Promise<number> {
  const { progress, signal, onEnd } = context;
  const onProgress = (text: string): void => {
    progress.update(text);
  };
  await ensureInstalled(onProgress);
  const result = await benchStampede({
    ...options,
    dir: join(projectRoot(), '.lab'),
    signal,
    onStart: onEnd,
    onProgress,
  });
  progress.clear();
  const goals = result.results.filter(({ guard }) => guard === JUDGED).flatMap(goalsOf);
  process.stdout.write(`${printGoals(goals, false)}\n\n${printStampede(result)}\n`);
  const met = goals.every((goal) => goal.met);
  if (json !== undefined) writeJson(json, { ...result, goals: GOALS, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

const goalsOf = ({ guard, mostRebuilds, p99OfWarm }: StampedeResult): Goal[] => [
  {
    what: `${guard}: most rebuilds per expiry`,
    measured: String(mostRebuilds),
    goal: `at most ${GOALS.rebuilds}`,
    met: mostRebuilds <= GOALS.rebuilds,
  },
  {
    what: `${guard}: p99 at an expiry / warm, median`,
    measured: p99OfWarm.toFixed(2),
    goal: `at most ${GOALS.p99OfWarm}`,
    met: p99OfWarm <= GOALS.p99OfWarm,
  },
];
