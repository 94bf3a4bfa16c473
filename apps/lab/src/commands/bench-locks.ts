import { ensureInstalled, projectRoot } from '#lab/stack';
import Table from 'cli-table3';
import { join } from 'node:path';
import { benchLocks, type ContenderResult, type LockBenchResult } from '#load-tests/bench';
import { writeJson, type Context } from '../command';
import { EXIT } from '../failure';

export interface LocksOptions {
  readonly repeats: number;
  readonly measureMs: number;
  readonly only?: string;
  readonly json?: string;
}

const PLAIN = { style: { head: [], border: [] } };

/** What the house promises about its locks. */
const GOALS = { handOvers: 8, ofRoundTrips: 0.8, wait: 0.15, fairness: 0.98, commands: 3, signalMs: 50 };

export async function locks(
  { json, ...options }: LocksOptions,
  { progress, signal, onEnd }: Context,
): Promise<number> {
  await ensureInstalled((line) => {
    progress.say(line);
  });
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
  process.stdout.write(`${speedTable(result)}\n${lossTable(result)}\n${goalTable(goals)}\n`);
  const met = goals.every((goal) => goal.met);
  if (json !== undefined) writeJson(json, { ...result, goals, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

const rounded = (value: number): string => Math.round(value).toLocaleString('en');

function speedTable({ contenders, roundTripsPerSecond }: LockBenchResult): string {
  const head = [
    'lock',
    'alone/s',
    '32 keys/s',
    'hand-overs/s',
    'p50 ms',
    'p99 ms',
    'min/max',
    'rested: hand-overs/s',
    'p99 ms',
  ];
  const crowds = Object.keys(contenders[0]?.commandsBy ?? {});
  const table = new Table({ head: [...head, `commands (${crowds.join(', ')} waiters)`], ...PLAIN });
  for (const { name, alone, alone32, contended, rested, commandsBy } of contenders)
    table.push([
      name,
      rounded(alone),
      rounded(alone32),
      rounded(contended.handOversPerSecond),
      contended.waitP50.toFixed(1),
      contended.waitP99.toFixed(1),
      contended.fairness.toFixed(2),
      rounded(rested.handOversPerSecond),
      rested.waitP99.toFixed(1),
      crowds.map((crowd) => (commandsBy[crowd] ?? NaN).toFixed(1)).join(', '),
    ]);
  return `round trips of one PING at a time: ${rounded(roundTripsPerSecond)}/s\n${table.toString()}`;
}

function lossTable({ lossSignals }: LockBenchResult): string {
  const table = new Table({
    head: ['cut off from Redis', 'knows of its loss, ms after the end of its lease'],
    ...PLAIN,
  });
  for (const { name, afterMs, because } of lossSignals)
    table.push([
      name,
      afterMs === null ? `not within 4 s${because === undefined ? '' : `: ${because}`}` : afterMs.toFixed(0),
    ]);
  return table.toString();
}

interface Goal {
  readonly what: string;
  readonly measured: number;
  readonly goal: string;
  readonly met: boolean;
}

function goalsOf({ contenders, roundTripsPerSecond, lossSignals }: LockBenchResult): Goal[] {
  const peers = contenders.filter(({ ours }) => !ours);
  const best = peers.toSorted((a, b) => b.contended.handOversPerSecond - a.contended.handOversPerSecond)[0];
  const fastest = Math.max(...peers.map(({ alone }) => alone));
  const told = contenders.filter(({ name }) => ['token-lua, notify', 'fair'].includes(name));
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
  const ofOne = (one: ContenderResult): Goal[] => [
    ...(best === undefined
      ? []
      : [
          atLeast(
            `${one.name}: hand-overs / those of ${best.name}`,
            one.contended.handOversPerSecond / best.contended.handOversPerSecond,
            GOALS.handOvers,
          ),
          atMost(
            `${one.name}: p99 wait / that of ${best.name}`,
            one.contended.waitP99 / best.contended.waitP99,
            GOALS.wait,
          ),
          atLeast(`${one.name}: alone / the fastest peer`, one.alone / fastest, 1),
        ]),
    atLeast(
      `${one.name}: hand-overs / round trips`,
      one.contended.handOversPerSecond / roundTripsPerSecond,
      GOALS.ofRoundTrips,
    ),
    atMost(
      `${one.name}: commands per acquisition`,
      Math.max(...Object.values(one.commandsBy)),
      GOALS.commands,
    ),
  ];
  return [
    ...told.flatMap(ofOne),
    ...told
      .filter(({ name }) => name === 'fair')
      .map(({ contended }) => atLeast('fair: min/max', contended.fairness, GOALS.fairness)),
    ...lossSignals
      .slice(0, 1)
      .map(({ name, afterMs }) =>
        atMost(`${name}: ms after the lease's end`, afterMs ?? Infinity, GOALS.signalMs),
      ),
  ];
}

function goalTable(goals: readonly Goal[]): string {
  const table = new Table({ head: ['what', 'measured', 'goal', 'met'], ...PLAIN });
  for (const { what, measured, goal, met } of goals)
    table.push([what, measured.toFixed(2), goal, met ? 'yes' : 'NO']);
  return table.toString();
}
