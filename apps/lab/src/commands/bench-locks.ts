import { ensureInstalled, projectRoot } from '#lab/stack';
import Table from 'cli-table3';
import { join } from 'node:path';
import { benchComponents, benchLocks, type ContenderResult, type LockBenchResult } from '#load-tests/bench';
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
  process.stdout.write(`${speedTable(result)}\n${lossTable(result)}\n${goalTable(goals)}\n`);
  const met = goals.every((goal) => goal.met);
  if (json !== undefined) writeJson(json, { ...result, goals, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;
const rounded = (value: number): string => Math.round(value).toLocaleString('en');

function speedTable({ contenders, roundTripsPerSecond, conditions }: LockBenchResult): string {
  const head = [
    'lock',
    'alone/s',
    '32 keys/s',
    'hand-overs/s',
    'in turns of two',
    'p50 ms',
    'p99 ms',
    'min/max',
    'rested: hand-overs/s',
    'p99 ms',
  ];
  const crowds = Object.keys(contenders[0]?.commandsBy ?? {});
  const table = new Table({ head: [...head, `commands (${crowds.join(', ')} waiters)`], ...PLAIN });
  for (const { name, kind, alone, alone32, contended, rested, commandsBy } of contenders)
    table.push([
      name,
      rounded(alone),
      rounded(alone32),
      rounded(contended.handOversPerSecond),
      percent(contended.backAndForth),
      contended.waitP50.toFixed(1),
      contended.waitP99.toFixed(1),
      contended.fairness.toFixed(2),
      rounded(rested.handOversPerSecond),
      rested.waitP99.toFixed(1),
      kind === 'for scale' ? '' : crowds.map((crowd) => (commandsBy[crowd] ?? NaN).toFixed(1)).join(', '),
    ]);
  const said = Object.entries(conditions).map(([name, value]) => `${name} ${value}`);
  return `${said.join(', ')}\nround trips of one PING at a time: ${rounded(roundTripsPerSecond)}/s\n${table.toString()}`;
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
  /** Absent: only to be known. */
  readonly goal?: string;
  readonly met: boolean;
}

const known = (what: string, measured: number): Goal => ({ what, measured, met: true });
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

/** Nothing done under the lock, without and with a rest of 1 ms after each release. */
type Experiment = 'contended' | 'rested';

/** Hand-overs to somebody whose turn it is: two waiters who take turns hand nothing to the others. */
const shared = (result: ContenderResult, which: Experiment = 'contended'): number =>
  result[which].handOversPerSecond * (1 - result[which].backAndForth);

const most = (
  results: readonly ContenderResult[],
  of: (one: ContenderResult) => number,
): ContenderResult | undefined => results.toSorted((a, b) => of(b) - of(a))[0];

function goalsOf({ contenders, roundTripsPerSecond, lossSignals }: LockBenchResult): Goal[] {
  const told = contenders.filter(({ name }) => ['token-lua, notify', 'fair'].includes(name));
  const fair = told.filter(({ name }) => name === 'fair');
  return [
    ...told.flatMap((one) => [
      ...besidePeers(one, contenders),
      ...besideLimits(one, contenders, roundTripsPerSecond),
    ]),
    ...fair.map(({ contended }) => atLeast('fair: min/max', contended.fairness, GOALS.fairness)),
    ...lossSignals
      .slice(0, 1)
      .map(({ name, afterMs }) =>
        atMost(`${name}: ms after the lease's end`, afterMs ?? Infinity, GOALS.signalMs),
      ),
  ];
}

function besidePeers(one: ContenderResult, contenders: readonly ContenderResult[]): Goal[] {
  const peers = contenders.filter(({ kind }) => kind === 'polling peer' || kind === 'told peer');
  const polling = peers.filter(({ kind }) => kind === 'polling peer');
  const toldPeer = most(
    peers.filter(({ kind }) => kind === 'told peer'),
    (peer) => shared(peer),
  );
  const fastest = most(peers, ({ alone }) => alone);
  return [
    ...besidePolling(one, polling, 'contended'),
    ...besidePolling(one, polling, 'rested'),
    ...(toldPeer === undefined
      ? []
      : [
          known(
            `${one.name}: hand-overs / those of ${toldPeer.name} (does not poll: it wakes all)`,
            shared(one) / shared(toldPeer),
          ),
        ]),
    ...(fastest === undefined
      ? []
      : [atLeast(`${one.name}: alone / ${fastest.name}, the fastest peer`, one.alone / fastest.alone, 1)]),
  ];
}

function besidePolling(one: ContenderResult, peers: readonly ContenderResult[], which: Experiment): Goal[] {
  const best = most(peers, (peer) => peer[which].handOversPerSecond);
  if (best === undefined) return [];
  const about = which === 'rested' ? `${one.name}, 1 ms of rest` : one.name;
  const ratio = `${about}: hand-overs / those of ${best.name} (polls)`;
  return [
    atLeast(ratio, one[which].handOversPerSecond / best[which].handOversPerSecond, GOALS.handOvers),
    known(`${ratio}, without turns of two`, shared(one, which) / shared(best, which)),
    atMost(`${about}: p99 wait / that of ${best.name}`, one[which].waitP99 / best[which].waitP99, GOALS.wait),
  ];
}

function besideLimits(
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
          known('ioredis alone: round trips of these two commands / of PING', limit / roundTripsPerSecond),
        ]),
    known(`${one.name}: hand-overs / round trips of PING`, handOvers / roundTripsPerSecond),
    atMost(
      `${one.name}: commands per acquisition`,
      Math.max(...Object.values(one.commandsBy)),
      GOALS.commands,
    ),
  ];
}

function goalTable(goals: readonly Goal[]): string {
  const table = new Table({ head: ['what', 'measured', 'goal', 'met'], ...PLAIN });
  for (const { what, measured, goal, met } of goals)
    table.push([what, measured.toFixed(2), goal ?? '', goal === undefined ? '' : met ? 'yes' : 'NO']);
  return table.toString();
}
