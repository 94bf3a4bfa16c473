import {
  exploreSubject,
  NoLongerReproduces,
  readToken,
  replay,
  reportCard,
  strategyHash,
  TokenSyntaxError,
  verify,
  type PromiseResult,
  type ScheduleToken,
  type SubjectResult,
  type WorkerPool,
} from '#lab/explore';
import { isSubject, type OwnSubject } from '#lab/own';
import { FAULTS, UnknownStrategy, type Capability, type Strategy } from '#lab/strategy';
import { mechanismOf, type ScheduleViolationKind } from '#lab/verdict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countDecisions } from './decisions';
import { ANSWER, ExerciseError, type BugTask, type Exercise, type ScheduleTask } from './exercise';
import { sourceFolder, startFiles } from './exercises';

/** One thing that an exercise requires. */
export type Requirement =
  | { readonly code: 'token'; readonly strategy: string }
  | { readonly code: 'violation'; readonly kind: ScheduleViolationKind }
  | { readonly code: 'decisions'; readonly most: number; readonly found?: number }
  | { readonly code: 'faults'; readonly allowed: readonly string[] }
  | { readonly code: 'bug-named'; readonly capability?: Capability }
  | { readonly code: 'promise'; readonly capability: Capability }
  | { readonly code: 'same-test' }
  /** No schedule with this fault violates an invariant; empty: without a fault. */
  | { readonly code: 'invariants'; readonly faults: string };

/** Why a requirement is not met, or not decided. */
export type Because =
  | { readonly code: 'no-answer' }
  | { readonly code: 'not-a-token'; readonly message: string }
  | { readonly code: 'other-strategy'; readonly found: string }
  | { readonly code: 'not-reproduced'; readonly message: string }
  | { readonly code: 'other-faults'; readonly found: readonly string[] }
  | { readonly code: 'not-shown'; readonly found: readonly ScheduleViolationKind[] }
  | { readonly code: 'not-a-promise'; readonly found: string; readonly promises: readonly Capability[] }
  | { readonly code: 'kept-by-original' }
  | { readonly code: 'test-changed' }
  | { readonly code: 'undecided'; readonly message: string };

export interface CheckedRequirement {
  readonly requirement: Requirement;
  readonly state: 'met' | 'missed' | 'unknown';
  readonly schedules?: number;
  /** The schedule that shows it, as a sentence and a token for `lab replay --with FILE`. */
  readonly sentence?: string;
  readonly token?: string;
  readonly because?: Because;
}

/** `solved`: every requirement is met. `unknown`: none is missed, and not all are decided. */
export function outcomeOf(checked: readonly CheckedRequirement[]): 'solved' | 'not-solved' | 'unknown' {
  if (checked.some(({ state }) => state === 'missed')) return 'not-solved';
  return checked.some(({ state }) => state === 'unknown') ? 'unknown' : 'solved';
}

/** How an exercise is checked. */
export interface Checking {
  readonly pool: WorkerPool;
  /** Loads the lock, the strategy or the subject of a file. */
  readonly load: (file: string) => Strategy | OwnSubject;
  /** Maximum number of schedules of each circumstance: a search that ends here proves nothing. */
  readonly max: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (schedules: number) => void;
}

/** The only circumstance with three buyers has too many schedules for a workshop; `slow work` tests its promise as well. */
const LEFT_OUT = ['two products'];

/** `max` limits a search, so that the result does not depend on the speed of the machine. */
const NO_TIME_LIMIT_MS = 24 * 3_600_000;

/** Checks the files in the folder of a learner. `seed`: see `bugOf`. @throws ExerciseError when a file is missing */
export async function checkExercise(
  exercise: Exercise,
  folder: string,
  seed: string,
  how: Checking,
): Promise<CheckedRequirement[]> {
  const { task } = exercise;
  switch (task.kind) {
    case 'schedule':
      return await checkSchedule(task, readAnswer(folder), how);
    case 'promises':
      return await checkPromises(loadStrategy(folder, task.file, how), task.promises, how);
    case 'bug':
      return await checkBug(task, { exercise, folder, seed }, how);
    case 'subject':
      return await checkSubject({ exercise, folder, file: task.file }, how);
  }
}

/** The first line of answer.txt that is no comment; undefined: there is none. */
function readAnswer(folder: string): string | undefined {
  const file = join(folder, ANSWER);
  if (!existsSync(file)) throw new ExerciseError(`there is no ${file}: write your answer into it`);
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#'));
}

async function checkSchedule(
  task: ScheduleTask,
  answer: string | undefined,
  { pool }: Checking,
): Promise<CheckedRequirement[]> {
  const requirement = { code: 'token', strategy: task.strategy } as const;
  const missed = (because: Because): CheckedRequirement[] => [{ requirement, state: 'missed', because }];
  if (answer === undefined) return missed({ code: 'no-answer' });
  let token: ScheduleToken;
  try {
    token = readToken(answer);
  } catch (error) {
    if (error instanceof TokenSyntaxError || error instanceof UnknownStrategy)
      return missed({ code: 'not-a-token', message: error.message });
    throw error;
  }
  const { strategy } = token.setup;
  if (strategy.name !== task.strategy) return missed({ code: 'other-strategy', found: strategy.name });
  try {
    const { choices, history, verdict } = await replay(pool.world, token);
    const kinds = [...new Set(verdict.violations.map(({ kind }) => kind))];
    const isShown = kinds.includes(task.violation);
    const sentence = mechanismOf(history, verdict.violations);
    return [
      { requirement, state: 'met' },
      {
        requirement: { code: 'violation', kind: task.violation },
        state: isShown ? 'met' : 'missed',
        token: answer,
        ...(sentence !== undefined && { sentence }),
        ...(!isShown && { because: { code: 'not-shown', found: kinds } }),
      },
      ...faultsOf(task, choices),
      ...decisionsOf(task, choices),
    ];
  } catch (error) {
    if (!(error instanceof NoLongerReproduces)) throw error;
    const because: Because = { code: 'not-reproduced', message: error.message };
    const isOldCode = token.hash !== '' && token.hash !== strategyHash(strategy);
    return [{ requirement, state: isOldCode ? 'unknown' : 'missed', because }];
  }
}

function decisionsOf({ decisions }: ScheduleTask, choices: ScheduleToken['choices']): CheckedRequirement[] {
  if (decisions === undefined) return [];
  const found = countDecisions(choices);
  return [
    {
      requirement: { code: 'decisions', most: decisions, found },
      state: found <= decisions ? 'met' : 'missed',
    },
  ];
}

function faultsOf({ faults }: ScheduleTask, choices: ScheduleToken['choices']): CheckedRequirement[] {
  if (faults === undefined) return [];
  const found = [...new Set(choices.map(({ kind }) => kind))].filter((kind) => kind in FAULTS);
  const others = found.filter((kind) => !(faults as readonly string[]).includes(kind));
  return [
    {
      requirement: { code: 'faults', allowed: faults },
      state: others.length === 0 ? 'met' : 'missed',
      ...(others.length > 0 && { because: { code: 'other-faults', found: others } }),
    },
  ];
}

async function checkPromises(
  strategy: Strategy,
  promises: readonly Capability[],
  how: Checking,
): Promise<CheckedRequirement[]> {
  const card = await cardOf(strategy, promises, how);
  return promises.map((capability) =>
    ofPromise(
      capability,
      card.find((one) => one.capability === capability),
    ),
  );
}

const STATES = { kept: 'met', broken: 'missed', 'not-applicable': 'unknown', unknown: 'unknown' } as const;

function ofPromise(capability: Capability, result: PromiseResult | undefined): CheckedRequirement {
  const requirement = { code: 'promise', capability } as const;
  if (result === undefined)
    return { requirement, state: 'unknown', because: { code: 'undecided', message: 'not explored' } };
  const { state, schedules, token, sentence, because } = result;
  return {
    requirement,
    state: STATES[state],
    schedules,
    ...(token !== undefined && { token }),
    ...(sentence !== undefined && { sentence }),
    ...(because !== undefined && { because: { code: 'undecided', message: because } }),
  };
}

/** The report card of `lab verify`, of the circumstances that test these promises. */
async function cardOf(
  strategy: Strategy,
  promises: readonly Capability[],
  { pool, max, signal, onProgress }: Checking,
): Promise<readonly PromiseResult[]> {
  const { cells, probe } = await verify(pool, strategy, NO_TIME_LIMIT_MS, {
    promises,
    leftOut: LEFT_OUT,
    stopAtBreach: true,
    max,
    signal,
    onProgress: ({ schedules }) => onProgress?.(schedules),
  });
  return reportCard(cells, undefined, probe);
}

async function checkBug(
  task: BugTask,
  { exercise, folder, seed }: { exercise: Exercise; folder: string; seed: string },
  how: Checking,
): Promise<CheckedRequirement[]> {
  const answer = readAnswer(folder);
  const mended = loadStrategy(folder, task.file, how);
  const [original] = startFiles(exercise, seed);
  const file = join(sourceFolder(exercise), original?.from ?? '');
  return [
    await checkName(task, answer, () => loadStrategy(file, '', how), how),
    ...(await checkPromises(mended, task.promises, how)),
  ];
}

/** Whether the named promise is one of the task, and broken by the original lock. */
async function checkName(
  { promises }: BugTask,
  answer: string | undefined,
  original: () => Strategy,
  how: Checking,
): Promise<CheckedRequirement> {
  const missed = (because: Because): CheckedRequirement => ({
    requirement: { code: 'bug-named' },
    state: 'missed',
    because,
  });
  if (answer === undefined) return missed({ code: 'no-answer' });
  const capability = promises.find((promise) => promise === answer);
  if (capability === undefined) return missed({ code: 'not-a-promise', found: answer, promises });
  const requirement = { code: 'bug-named', capability } as const;
  const [result] = await checkPromises(original(), [capability], how);
  if (result === undefined || result.state === 'unknown')
    return {
      requirement,
      state: 'unknown',
      ...(result?.because !== undefined && { because: result.because }),
    };
  return result.state === 'met'
    ? { requirement, state: 'missed', because: { code: 'kept-by-original' } }
    : { requirement, state: 'met' };
}

async function checkSubject(
  { exercise, folder, file }: { exercise: Exercise; folder: string; file: string },
  how: Checking,
): Promise<CheckedRequirement[]> {
  const subject = loadSubject(join(folder, file), how);
  const original = loadSubject(join(sourceFolder(exercise), 'start.js'), how);
  const requirement = { code: 'same-test' } as const;
  if (testOf(subject) !== testOf(original))
    return [{ requirement, state: 'missed', because: { code: 'test-changed' } }];
  const checked: CheckedRequirement[] = [{ requirement, state: 'met' }];
  const { pool, max, signal, onProgress } = how;
  let before = 0;
  const results = exploreSubject(pool, subject, NO_TIME_LIMIT_MS, {
    max,
    signal,
    onProgress: (_, schedules) => onProgress?.(before + schedules),
  });
  for await (const result of results) {
    before += result.schedules;
    checked.push(ofSubject(result));
  }
  return checked;
}

function ofSubject({ faults, state, schedules, witness }: SubjectResult): CheckedRequirement {
  const [violation] = witness?.played.verdict.violations ?? [];
  return {
    requirement: { code: 'invariants', faults },
    state: state === 'not-applicable' ? 'met' : STATES[state], // a fault that cannot occur violates nothing
    schedules,
    ...(witness !== undefined && { token: witness.token }),
    ...(violation !== undefined && { sentence: violation.sentence }),
    ...(state === 'unknown' && { because: { code: 'undecided', message: 'not every schedule was run' } }),
  };
}

/** What a learner must not change: the invariants, the rows before a schedule, and what the actors call. */
const testOf = ({ definition }: OwnSubject): string =>
  [
    definition.prepare?.toString(),
    ...definition.actors.map((actor) => String(typeof actor === 'function' ? actor : actor.run)),
    ...Object.entries(definition.invariants).flat().map(String),
  ]
    .join()
    .replace(/\s+/g, '');

function loadStrategy(folder: string, file: string, { load }: Checking): Strategy {
  const loaded = load(join(folder, file));
  if (isSubject(loaded)) throw new ExerciseError(`${file} exports a subject: this exercise has a lock`);
  return loaded;
}

function loadSubject(file: string, { load }: Checking): OwnSubject {
  const loaded = load(file);
  if (!isSubject(loaded))
    throw new ExerciseError(`${file} exports no subject: "npx lab exercise reset" restores it`);
  return loaded;
}
