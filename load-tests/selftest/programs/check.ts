import { EXPLORE_OPTIONS, replaceGlobals, workMsFor, type Plan, type World } from '#lab/explore';
import { SeededRandom } from '#lab/random';
import { comparePlan, isDifferent, type Comparison, type GoOn } from '../reduction';
import { randomProgram, smallerThan, type Program } from './program';
import { subjectOf } from './subject';

export interface ProgramsOptions {
  readonly seed: number;
  /** Number of the first program, and how many follow. */
  readonly first: number;
  readonly count: number;
  /** Largest number of schedules without the reduction; programs with more are left out. */
  readonly max: number;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  readonly onDifference: (difference: ProgramDifference) => void;
}

/** A program whose endings differ with and without the reduction. */
export interface ProgramDifference extends Comparison {
  readonly number: number;
  /** Without the parts that the difference does not need. */
  readonly program: Program;
}

export interface ProgramsResult {
  readonly seed: number;
  /** Programs that were run with and without the reduction. */
  readonly compared: number;
  readonly leftOut: number;
  /** Schedules with the reduction, and without it. */
  readonly reduced: number;
  readonly all: number;
  readonly differences: readonly ProgramDifference[];
}

/**
 * Runs random programs of a user with and without the reduction, and compares how their schedules end: what each actor received,
 * and the data that are left. All orders are run and counted as well: both numbers must be equal.
 */
export async function checkPrograms(world: World, options: ProgramsOptions): Promise<ProgramsResult> {
  const { seed, first, count, max, signal, onProgress, onDifference } = options;
  const compared: Comparison[] = [];
  const differences: ProgramDifference[] = [];
  let leftOut = 0;
  for (let number = first; number < first + count && !signal.aborted; number++) {
    const program = randomProgram(SeededRandom.forItem(seed, number));
    const compare = (one: Program): Promise<Comparison | undefined> =>
      compareProgram(world, one, max, (n, how) => {
        onProgress(`program ${number}: ${n} schedules ${how}`);
        return !signal.aborted;
      });
    const result = await compare(program);
    if (result === undefined) {
      leftOut++;
      continue;
    }
    compared.push(result);
    if (!isDifferent(result)) continue;
    const difference = { number, ...(await smallest(program, result, compare)) };
    differences.push(difference);
    onDifference(difference);
  }
  const sum = (of: (one: Comparison) => number): number =>
    compared.reduce((total, one) => total + of(one), 0);
  return {
    seed,
    compared: compared.length,
    leftOut,
    reduced: sum(({ reduced }) => reduced),
    all: sum(({ all }) => all),
    differences,
  };
}

/** Runs a program with and without the reduction. Undefined: as for `comparePlan`. */
export async function compareProgram(
  world: World,
  program: Program,
  max = Infinity,
  goOn: GoOn = () => true,
): Promise<Comparison | undefined> {
  const restore = replaceGlobals();
  try {
    return await comparePlan(world, planOf(program), max, goOn);
  } finally {
    restore();
  }
}

const planOf = (program: Program): Plan => ({
  setup: {
    strategy: subjectOf(program),
    options: { ...EXPLORE_OPTIONS, workMs: workMsFor(program.budget) },
    stock: 0,
    processes: program.processes.map((number) => `p${number}`),
  },
  budget: program.budget,
  faultPlaces: {},
  reduce: true,
});

/** Leaves out parts of a program as long as its endings differ. */
async function smallest(
  program: Program,
  comparison: Comparison,
  compare: (program: Program) => Promise<Comparison | undefined>,
): Promise<Comparison & { readonly program: Program }> {
  for (const smaller of smallerThan(program)) {
    const again = await compare(smaller);
    if (again !== undefined && isDifferent(again)) return smallest(smaller, again, compare);
  }
  return { ...comparison, program };
}
