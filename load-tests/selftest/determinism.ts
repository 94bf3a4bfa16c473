import {
  CELLS,
  differenceOf,
  executions,
  existsFor,
  planOf,
  play,
  playRandom,
  scheduleText,
  scheduleTokenOf,
  writeToken,
  type Plan,
  type Played,
  type World,
} from '#lab/explore';
import { SeededRandom, seeded } from '#lab/random';
import { CATALOGUE, type Strategy } from '#lab/strategy';
import { CONDITIONS, enforce, type ConditionName, type Disturbable } from './conditions';

export interface DeterminismOptions {
  /** Number of tokens: random schedules, spread evenly over strategies and cells of the matrix. */
  readonly tokens: number;
  readonly seed: number;
  readonly strategies?: readonly Strategy[];
  readonly conditions?: readonly ConditionName[];
  readonly servers: Disturbable;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  readonly onDifference: (difference: Difference) => void;
}

/** A replay, or an exploration, that differs from the first run. */
export interface Difference {
  readonly condition: ConditionName;
  /** The token, or the explored plan. */
  readonly what: string;
  /** The first event, or schedule, that differs; or the error. */
  readonly text: string;
}

export interface ConditionResult {
  readonly condition: ConditionName;
  readonly replays: number;
  /** Schedules of the explorations. */
  readonly explored: number;
  /** What proves that the condition was in force; empty: nothing to prove. */
  readonly proof: string;
  readonly seconds: number;
}

export interface DeterminismResult {
  readonly tokens: number;
  readonly strategies: number;
  readonly seed: number;
  readonly conditions: readonly ConditionResult[];
  readonly differences: readonly Difference[];
}

interface Sample {
  readonly plan: Plan;
  readonly token: string;
  readonly played: Played;
}

/**
 * Plans that are explored completely in each condition: a strategy and a cell of the matrix for each kind of server, and one
 * whose keys contain random tickets.
 */
const EXPLORED: readonly (readonly [strategy: string, cell: string])[] = [
  ['expiring', 'lapse'],
  ['for-update', 'kill'],
  ['mysql-named-lock', 'kill'],
  ['mysql-lock-table', 'lost session'],
  ['watchdog', 'slow work'],
  ['zookeeper', 'two processes'],
  ['directory', 'kill'],
  ['local-mutex', 'same process'],
  ['single-writer', 'failed write'],
];

/**
 * Runs random schedules once on the idle machine and replays each of them in every condition; explores some plans in every
 * condition, too. Histories and sets of schedules must be identical.
 */
export async function checkDeterminism(
  world: World,
  options: DeterminismOptions,
): Promise<DeterminismResult> {
  const { strategies = CATALOGUE, seed, signal } = options;
  const differences: Difference[] = [];
  const add = (difference: Difference): void => {
    differences.push(difference);
    options.onDifference(difference);
  };
  const samples = await drawSamples(world, options, (what, text) => {
    add({ condition: 'idle', what, text });
  });
  const plans = EXPLORED.flatMap(([name, cell]) => planNamed(strategies, name, cell));
  const first = new Map<string, readonly string[]>();
  for (const [what, plan] of plans) first.set(what, await setOfSchedules(world, plan));
  const conditions: ConditionResult[] = [];
  for (const condition of options.conditions ?? names()) {
    const report = (what: string, text: string | undefined): void => {
      if (text !== undefined) add({ condition, what, text });
    };
    const begun = performance.now();
    const force = enforce(condition, options.servers, seeded(seed + 1));
    let replays = 0;
    let explored = 0;
    try {
      for (const { plan, token, played } of samples) {
        if (signal.aborted) break;
        report(token, await replayed(world, plan, played));
        replays++;
        options.onProgress(
          `${condition}: ${replays}/${samples.length} replays, ${differences.length} different`,
        );
      }
      for (const [what, plan] of plans) {
        if (signal.aborted) break;
        options.onProgress(`${condition}: exploring ${what}`);
        const found = await setOfSchedules(world, plan).catch((error: unknown) => [String(error)]);
        report(what, differenceOfSets(first.get(what) ?? [], found));
        explored += found.length;
      }
    } finally {
      const proof = await force.end();
      const seconds = (performance.now() - begun) / 1000;
      conditions.push({ condition, replays, explored, proof, seconds });
    }
  }
  return { tokens: samples.length, strategies: strategies.length, seed, conditions, differences };
}

const names = (): ConditionName[] => Object.keys(CONDITIONS) as ConditionName[];

function planNamed(
  strategies: readonly Strategy[],
  name: string,
  cellName: string,
): [what: string, plan: Plan][] {
  const strategy = strategies.find((one) => one.name === name);
  const cell = CELLS.find((one) => one.name === cellName);
  return strategy === undefined || cell === undefined
    ? []
    : [[`${name}, ${cellName}`, planOf(strategy, cell)]];
}

/** Draws random schedules; each is replayed at once, and one that differs already is reported. */
async function drawSamples(
  world: World,
  options: DeterminismOptions,
  report: (what: string, text: string) => void,
): Promise<Sample[]> {
  const { strategies = CATALOGUE, tokens, seed, signal, onProgress } = options;
  const random = new SeededRandom(seed);
  const plans = random.shuffle(
    strategies.flatMap((strategy) =>
      CELLS.filter((cell) => existsFor(strategy, cell)).map((cell) => planOf(strategy, cell)),
    ),
  );
  const samples: Sample[] = [];
  for (let i = 0; i < tokens && !signal.aborted; i++) {
    const plan = plans[i % plans.length];
    if (plan === undefined) break;
    try {
      const played = await playRandom(world, plan, random.next);
      samples.push({ plan, played, token: writeToken(scheduleTokenOf(plan.setup, played)) });
    } catch (error) {
      report(`${plan.setup.strategy.name}, a random schedule`, (error as Error).message);
    }
    onProgress(`${samples.length}/${tokens} random schedules`);
  }
  return samples;
}

/** Replays a schedule; the first event that differs, or the error; undefined: the histories are identical. */
async function replayed(world: World, { setup }: Plan, once: Played): Promise<string | undefined> {
  try {
    const again = await play(world, setup, once.choices, { strict: true, checks: once.checks });
    return differenceOf(once.history, again.history);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Every schedule of a plan, with the kinds of violation that it shows, sorted. */
async function setOfSchedules(world: World, plan: Plan): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { choices, result } of executions(world, plan)) {
    if (result === undefined) continue;
    const kinds = result.verdict.violations.map(({ kind }) => kind);
    found.push([scheduleText(choices), ...kinds].join(' '));
  }
  return found.sort();
}

function differenceOfSets(once: readonly string[], again: readonly string[]): string | undefined {
  const missing = once.filter((one) => !again.includes(one));
  const added = again.filter((one) => !once.includes(one));
  if (missing.length + added.length === 0) return undefined;
  return `${missing.length} schedules are missing (${missing[0] ?? '-'}), ${added.length} are new (${added[0] ?? '-'})`;
}
