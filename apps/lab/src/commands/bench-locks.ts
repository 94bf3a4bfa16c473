import { ensureInstalled, projectRoot } from '#lab/stack';
import { join } from 'node:path';
import { benchComponents, benchLocks, type ContenderResult, type LockBenchResult } from '#load-tests/bench';
import { writeJson, type Context } from '../command';
import { EXIT } from '../failure';
import { printGoals, printLossSignals, printSpeeds } from '../print/bench';

export interface LocksOptions {
  readonly repeats: number;
  readonly measureMs: number;
  readonly only?: string;
  readonly verbose?: true;
  readonly json?: string;
}

/** The performance goals of the locks of this project. */
const GOALS = { handOvers: 8, ofRoundTrips: 0.8, wait: 0.15, fairness: 0.98, commands: 3, signalMs: 50 };

export async function locks(
  { json, verbose, ...options }: LocksOptions,
  { progress, signal, onEnd }: Context,
): Promise<number> {
  await ensureInstalled((line) => {
    progress.say(line);
  }, benchComponents(options.only));
  const result = await benchLocks({
    ...options,
    dir: join(projectRoot(), '.lab'),
    signal,
    onStart: onEnd,
    onProgress: (text) => {
      progress.say(text);
    },
  });
  const goals = goalsOf(result);
  progress.clear();
  const isVerbose = verbose === true;
  const printed = goals.map((goal) => ({ ...goal, measured: goal.measured.toFixed(2) }));
  process.stdout.write(
    `${[printGoals(printed, isVerbose), printSpeeds(result, isVerbose), printLossSignals(result)].join('\n\n')}\n`,
  );
  const met = goals.every((goal) => goal.met);
  if (json !== undefined) writeJson(json, { ...result, goals, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

interface Goal {
  readonly what: string;
  readonly measured: number;
  /** Absent: the figure is only reported. */
  readonly goal?: string;
  readonly met: boolean;
}

const reported = (what: string, measured: number): Goal => ({ what, measured, met: true });
const atLeast = (what: string, measured: number, least: number): Goal => ({
  what,
  measured,
  goal: `at least ${least}`,
  met: measured >= least,
});
const atMost = (what: string, measured: number, most: number): Goal => ({
  what,
  measured,
  goal: `at most ${most}`,
  met: measured <= most,
});

/** No work under the lock; `rested`: each waiter pauses for 1 ms after its release. */
type Experiment = 'contended' | 'rested';

/** Hand-overs per second, without those of two waiters that only alternate with each other. */
const sharedHandOvers = (result: ContenderResult, which: Experiment = 'contended'): number =>
  result[which].handOversPerSecond * (1 - result[which].backAndForth);

const maximumBy = (
  results: readonly ContenderResult[],
  of: (one: ContenderResult) => number,
): ContenderResult | undefined => results.toSorted((a, b) => of(b) - of(a))[0];

function goalsOf({ contenders, roundTripsPerSecond, lossSignals }: LockBenchResult): Goal[] {
  const ours = contenders.filter(({ name }) => ['token-lua, notify', 'fair'].includes(name));
  const fair = ours.filter(({ name }) => name === 'fair');
  return [
    ...ours.flatMap((one) => [
      ...goalsAgainstPeers(one, contenders),
      ...goalsAgainstLimits(one, contenders, roundTripsPerSecond),
    ]),
    ...fair.map(({ contended }) => atLeast('fair: min/max', contended.fairness, GOALS.fairness)),
    ...lossSignals
      .slice(0, 1)
      .map(({ name, afterMs }) =>
        atMost(`${name}: ms after the lease's end`, afterMs ?? Infinity, GOALS.signalMs),
      ),
  ];
}

function goalsAgainstPeers(one: ContenderResult, contenders: readonly ContenderResult[]): Goal[] {
  const peers = contenders.filter(({ kind }) => kind === 'polling peer' || kind === 'notified peer');
  const polling = peers.filter(({ kind }) => kind === 'polling peer');
  const notifyingPeer = maximumBy(
    peers.filter(({ kind }) => kind === 'notified peer'),
    (peer) => sharedHandOvers(peer),
  );
  const fastest = maximumBy(peers, ({ alone }) => alone);
  return [
    ...goalsAgainstPolling(one, polling, 'contended'),
    ...goalsAgainstPolling(one, polling, 'rested'),
    ...(notifyingPeer === undefined
      ? []
      : [
          reported(
            `${one.name}: hand-overs / those of ${notifyingPeer.name} (does not poll: it wakes all)`,
            sharedHandOvers(one) / sharedHandOvers(notifyingPeer),
          ),
        ]),
    ...(fastest === undefined
      ? []
      : [atLeast(`${one.name}: alone / ${fastest.name}, the fastest peer`, one.alone / fastest.alone, 1)]),
  ];
}

function goalsAgainstPolling(
  one: ContenderResult,
  peers: readonly ContenderResult[],
  which: Experiment,
): Goal[] {
  const best = maximumBy(peers, (peer) => peer[which].handOversPerSecond);
  if (best === undefined) return [];
  const about = which === 'rested' ? `${one.name}, 1 ms of rest` : one.name;
  const ratio = `${about}: hand-overs / those of ${best.name} (polls)`;
  return [
    atLeast(ratio, one[which].handOversPerSecond / best[which].handOversPerSecond, GOALS.handOvers),
    reported(`${ratio}, without turns of two`, sharedHandOvers(one, which) / sharedHandOvers(best, which)),
    atMost(`${about}: p99 wait / that of ${best.name}`, one[which].waitP99 / best[which].waitP99, GOALS.wait),
  ];
}

function goalsAgainstLimits(
  one: ContenderResult,
  contenders: readonly ContenderResult[],
  roundTripsPerSecond: number,
): Goal[] {
  const handOvers = one.contended.handOversPerSecond;
  const limit = contenders.find(({ kind }) => kind === 'ceiling')?.contended.handOversPerSecond;
  return [
    ...(limit === undefined
      ? []
      : [
          atLeast(
            `${one.name}: hand-overs / round trips of the same two commands by ioredis alone`,
            handOvers / limit,
            GOALS.ofRoundTrips,
          ),
          reported('ioredis alone: round trips of these two commands / of PING', limit / roundTripsPerSecond),
        ]),
    reported(`${one.name}: hand-overs / round trips of PING`, handOvers / roundTripsPerSecond),
    atMost(
      `${one.name}: commands per acquisition`,
      Math.max(...Object.values(one.commandsBy)),
      GOALS.commands,
    ),
  ];
}
