import { LIMITERS } from '#lab/limit';
import { ensureInstalled, projectRoot } from '#lab/stack';
import { join } from 'node:path';
import { benchGuards, guardComponents, type GuardBenchOptions, type LimiterResult } from '#load-tests/bench';
import { writeJson, type Context } from '../command';
import { EXIT } from '../failure';
import { printGoals, type Goal } from '../print/bench';
import { printActions, printLimiters } from '../print/bench-guards';

export interface GuardsOptions extends Pick<GuardBenchOptions, 'only' | 'repeats' | 'measureMs'> {
  readonly json?: string;
}

/** The limiters whose promise no circumstance breaks; of a fixed window, no circumstance but the edge of its windows. */
const KEEPING_THEIR_PROMISE = new Set(
  LIMITERS.filter(({ expected: { edge, killed }, fixedWindow }) =>
    fixedWindow === true ? killed === undefined : edge === undefined && killed === undefined,
  ).map(({ name }) => name),
);

export async function guards({ json, ...options }: GuardsOptions, context: Context): Promise<number> {
  const { progress, signal, onEnd } = context;
  const onProgress = (text: string): void => {
    progress.say(text);
  };
  await ensureInstalled(onProgress, guardComponents(options.only));
  const result = await benchGuards({
    ...options,
    dir: join(projectRoot(), '.lab'),
    signal,
    onStart: onEnd,
    onProgress,
  });
  const { limiters, actions } = result;
  const ours = limiters.filter(({ kind, name }) => kind === 'ours' && KEEPING_THEIR_PROMISE.has(name));
  const goals = ours.length === 0 ? [] : [...ours.flatMap(goalsOf), goalOfFastest(ours)];
  const printed = [
    ...(limiters.length > 0 ? [printGoals(goals, false), printLimiters(limiters)] : []),
    ...(actions.length > 0 ? [printActions(actions)] : []),
  ];
  process.stdout.write(`${printed.join('\n\n')}\n`);
  const met = goals.every((goal) => goal.met);
  if (json !== undefined) writeJson(json, { ...result, goals, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

/** It decides correctly, is as fast as every package that decides correctly under the same promise, and sends one command. */
function goalsOf({ name, promise, promised, most, isCorrect, ofPeer, sent }: LimiterResult): Goal[] {
  const admitted = promise === 'own window' ? most?.ownWindow : most?.anyWindow;
  return [
    {
      what: `${name}: most admitted, ${promise}`,
      measured: String(admitted),
      goal: `at most ${promised}`,
      met: isCorrect,
    },
    {
      what: `${name} / fastest package, ${promise}`,
      measured: ofPeer.toFixed(2),
      goal: 'at least 1',
      met: ofPeer >= 1,
    },
    {
      what: `${name}: commands per decision`,
      measured: sent.toFixed(2),
      goal: 'at most 1',
      met: sent <= 1,
    },
  ];
}

/** The fastest limiter that is exact in any window is as fast as every package, also one that is only exact in its own. */
function goalOfFastest(ours: readonly LimiterResult[]): Goal {
  const exact = ours.filter(({ promise }) => promise === 'any window');
  const ratio = Math.max(...exact.map(({ ofAnyPeer }) => ofAnyPeer));
  return {
    what: 'fastest of any window / fastest package at all',
    measured: ratio.toFixed(2),
    goal: 'at least 1',
    met: ratio >= 1,
  };
}
