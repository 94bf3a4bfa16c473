import {
  leftOpen,
  NotExplorable,
  promiseContradictions,
  readToken,
  receivePrints,
  replay,
  reportCard,
  unexplained,
  verify,
  type PromiseResult,
  type Unexplained,
  type World,
} from '#lab/explore';
import { count } from '#lab/step';
import { addStrategy, CAPABILITIES, type Capability, type Strategy } from '#lab/strategy';
import type { ReportedCard } from '#load-tests/report';
import { runJson, writeCard, writeRunFolder } from '#load-tests/results';
import type { Command } from 'commander';
import { relative } from 'node:path';
import { refuseCode, runCommand, writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT, Failure } from '../failure';
import { isFile, loadOwn } from '../own-file';
import { loadOrReason, type UnderLoad } from '../own-load';
import { printSchedule } from '../print/lanes';
import { trafficWords } from '../print/traffic';
import { printCard } from '../print/verify';
import { readStrategy } from './explore';
import { namesOf } from './names';
import { limitMs, timeOption, whole } from './numbers';
import { verifySubject } from './verify-subject';

interface VerifyOptions {
  readonly quick?: true;
  readonly only?: readonly Capability[];
  readonly load: boolean;
  readonly budget: number;
  readonly enough: number;
  readonly workers: number;
  readonly json?: string;
}

const QUICK_SECONDS = 10;

export function register(program: Command): void {
  program
    .command('verify')
    .argument(
      '<file-or-strategy>',
      'a TypeScript or JavaScript file with a lock or a strategy, or a name of the catalogue',
    )
    .description(
      'try a lock of your own in every order of its steps, with faults, and print which promises it keeps',
    )
    .option('--quick', `explore for ${QUICK_SECONDS} s, without load`)
    .option(
      '--only <promises>',
      'explore only what tests these promises, e.g. releasesOnlyItsOwn,survivesLapse, without load',
      readPromises,
    )
    .addOption(timeOption('--budget <time>', 'time for all explorations, e.g. 30s or 5m; 0: no limit', 60))
    .option(
      '--enough <n>',
      'schedules after which a circumstance ends whose promises are all known to be broken',
      whole(1, 1_000_000),
      30,
    )
    .option('--no-load', 'no load on two replicas after the explorations')
    .option('--workers <n>', 'worker threads', whole(1, 8), 2)
    .option('--json <file>', 'write the report card as JSON')
    .action((name: string, options: VerifyOptions) =>
      runCommand((context) => verifyOne(name, options, context)),
    );
}

/** Parses names of promises, separated by commas. */
function readPromises(text: string): readonly Capability[] {
  return namesOf(
    CAPABILITIES,
    text.split(','),
    (unknown) => `"${unknown}" is not one of the promises ${Object.keys(CAPABILITIES).join(', ')}.`,
  );
}

async function verifyOne(name: string, options: VerifyOptions, context: Context): Promise<number> {
  const file = isFile(name) ? name : undefined;
  receivePrints(noteOnce(name, context));
  const seconds = options.quick === true ? QUICK_SECONDS : options.budget;
  const own = file === undefined ? { strategy: readStrategy(name), isDeclared: true } : loadOwn(file);
  if ('definition' in own) {
    if (options.only !== undefined)
      throw new Failure('--only is for locks and strategies: a subject has invariants', EXIT.usage);
    return verifySubject(own, { seconds, workers: options.workers, json: options.json }, context).catch(
      refuseCode,
    );
  }
  const { strategy, isDeclared } = own;
  if (file !== undefined) addStrategy(strategy);
  const lacks = isDeclared ? strategy.lacks : [];
  const explored = await exploreAll(name, strategy, lacks, { ...options, budget: seconds }, context);
  const { cells, promises, others, shown, conditions, probe } = explored;
  const isLoaded = options.load && options.quick !== true && options.only === undefined;
  const { load, loadFailure } = isLoaded ? await loadOrReason(context, strategy, file) : {};
  context.progress.clear();
  const contradictions = isDeclared ? contradictionsOf(strategy, explored, load) : [];
  const withFile = file === undefined ? '' : ` --with ${file}`;
  const withReplay = <T extends { readonly token?: string }>(one: T): T & { readonly replay?: string } => ({
    ...one,
    ...(one.token !== undefined && { replay: `npx lab replay ${one.token}${withFile}` }),
  });
  const card = {
    name,
    promises: shown.promises.map(withReplay),
    unexplained: shown.others.map(withReplay),
    notExplored: leftOpen(cells),
    contradictions,
    unseen: probe.unseen,
    left: probe.left,
    isDeclared,
    seconds: explored.seconds,
    ...(load !== undefined && { load: shownLoad(load) }),
    ...(loadFailure !== undefined && { loadFailure }),
    conditions,
  };
  const folder = load === undefined ? undefined : writeRunFolder(load.run, strategy.name);
  const page = writeCard(card, strategy.name, folder);
  process.stdout.write(`${printCard(card, relative('', page), longerCommand(name, seconds, options))}\n`);
  if (options.json !== undefined)
    writeJson(options.json, {
      name,
      strategy: strategy.name,
      seconds: explored.seconds,
      lacks: isDeclared ? strategy.lacks : null,
      promises,
      unexplained: others,
      circumstances: cells.map(({ cell, explored: found, failure }) => ({
        name: cell.name,
        ...(found !== undefined && { explored: found }),
        ...(failure !== undefined && { failure }),
      })),
      ...(loadFailure !== undefined && { loadFailure }),
      load: load === undefined ? null : { run: runJson(load.run), handOvers: load.handOvers },
      unseen: probe.unseen,
      left: probe.left,
      contradictions,
      conditions,
    });
  const exitCode = exitOf(explored, contradictions, isDeclared, load);
  return exitCode === EXIT.ok && loadFailure !== undefined ? EXIT.unknown : exitCode;
}

/** The command with four times the budget, at least two minutes, and without the load. */
function longerCommand(name: string, seconds: number, { only }: VerifyOptions): string {
  const minutes = Math.max(2, Math.ceil((4 * seconds) / 60));
  const promises = only === undefined ? '' : ` --only ${only.join(',')}`;
  return `npx lab verify ${name}${promises} --budget ${minutes}m --no-load`;
}

/** Notes once that the file prints something, and how to see it. */
function noteOnce(file: string, { progress }: Context): () => void {
  let isNoted = false;
  return () => {
    if (isNoted) return;
    isNoted = true;
    progress.say(`${file} prints, and it is not shown here: npx lab replay TOKEN --with ${file} shows it`);
  };
}

/** The explorations, what they say of each promise, and the same with lanes. */
async function exploreAll(
  name: string,
  strategy: Strategy,
  lacks: readonly Capability[],
  options: VerifyOptions,
  context: Context,
) {
  const { progress, signal, onEnd } = context;
  const { pool, conditions, stop } = await openExplorer(context, options.workers, [strategy]);
  onEnd(stop);
  const begun = performance.now();
  const { probe, cells } = await verify(pool, strategy, limitMs(options.budget), {
    signal,
    enough: options.enough,
    ...(options.only === undefined ? { further: options.quick !== true } : { promises: options.only }),
    onProgress: ({ cell, open, schedules, violating }) => {
      progress.update(
        `${count(schedules, 'schedule')}, ${violating} with a violation; ${count(open, 'circumstance')} open, now: ${cell.title}`,
      );
    },
  }).catch((error: unknown) => {
    throw error instanceof NotExplorable
      ? new Failure(`${name} cannot be verified: ${error.message}`, EXIT.usage)
      : error;
  });
  const seconds = (performance.now() - begun) / 1000;
  const promises = reportCard(cells, options.only, probe);
  const others = options.only === undefined ? unexplained(cells, promises, lacks) : []; // else other promises may explain it
  const seen = new Set<string>();
  return {
    cells,
    promises,
    others,
    shown: {
      promises: await withLanes(pool.world, strategy, promises, seen),
      others: await withLanes(pool.world, strategy, others, seen),
    },
    seconds,
    conditions,
    probe,
  };
}

/** What the load run and the hand-overs say, in the words of the card. */
const shownLoad = ({ run, handOvers }: UnderLoad): ReportedCard['load'] & object => ({
  verdict: run.verdict,
  traffic: trafficWords(run),
  handOvers,
  report: 'report.html',
});

/** What the explorations have found. */
interface Found {
  readonly promises: readonly PromiseResult[];
  readonly others: readonly Unexplained[];
}

/** Deviations of the schedules and of the load run from what is declared. */
const contradictionsOf = (
  strategy: Strategy,
  { promises, others }: Found,
  load: UnderLoad | undefined,
): readonly string[] => [
  ...promiseContradictions(strategy, promises),
  ...others.map(({ kind }) => `${kind} is declared by no promise in lacks`),
  ...(load !== undefined && isWrong(load) && !strategy.lacks.some((one) => EXACT.has(one))
    ? [`under load: ${load.run.verdict.headline}`]
    : []),
];

/** Without one of these promises, a plain load may sell units twice. */
const EXACT: ReadonlySet<Capability> = new Set(['exactAcrossProcesses', 'exactInOneProcess']);

const isWrong = ({ run }: UnderLoad): boolean => run.verdict.mark === 'data-wrong';

/**
 * 1: a promise is broken, a violation is not explained, or a declaration is contradicted. 3: nothing of that, and not every promise was
 * decided.
 */
function exitOf(
  { promises, others }: Found,
  contradictions: readonly string[],
  isDeclared: boolean,
  load: UnderLoad | undefined,
): number {
  const isBroken = isDeclared
    ? contradictions.length > 0
    : others.length > 0 ||
      promises.some(({ state }) => state === 'broken') ||
      (load !== undefined && isWrong(load));
  if (isBroken) return EXIT.notAsExpected;
  return promises.some(({ state }) => state === 'unknown') ? EXIT.unknown : EXIT.ok;
}

/** With the lanes of the schedule; of those with the same schedule only the first. `seen`: the tokens that have been shown. */
async function withLanes<T extends { readonly token?: string }>(
  world: World,
  strategy: Strategy,
  all: readonly T[],
  seen: Set<string>,
): Promise<readonly (T & { readonly lanes?: string })[]> {
  const shown: (T & { readonly lanes?: string })[] = [];
  for (const one of all) {
    const { token } = one;
    if (token === undefined || seen.has(token)) {
      shown.push(one);
      continue;
    }
    seen.add(token);
    const { history, verdict } = await replay(world, readToken(token, strategy));
    shown.push({ ...one, lanes: printSchedule(history, verdict) });
  }
  return shown;
}
