import type { Budget } from '#lab/explore';
import type { SeededRandom } from '#lab/random';
import { ISOLATIONS, SUBJECT_FAULTS, type Isolation } from '#lab/subject';
import { LOCAL, REDIS, SQL, TRANSACTION } from './statements';

/** What two actors do at the same time, and the faults of their schedules. Plain data. */
export interface Program {
  /** By actor: the names of its statements. */
  readonly actors: readonly (readonly string[])[];
  /** By actor: the number of its process. */
  readonly processes: readonly number[];
  /** An error ends a request; false: it goes on, as code does that ignores errors. */
  readonly endsAtError: boolean;
  readonly isolation: Isolation;
  readonly budget: Budget;
}

/** Programs of Redis, of SQL, and most often of both. */
const SYSTEMS: readonly (readonly Readonly<Record<string, unknown>>[])[] = [
  [REDIS],
  [SQL],
  [REDIS, SQL],
  [REDIS, SQL],
];

export function randomProgram(random: SeededRandom): Program {
  const systems = random.pick(SYSTEMS);
  const first = randomRequest(random, systems);
  const isTwice = random.oneIn(4);
  const faults = [0, 1].flatMap(() => (random.oneIn(3) ? [random.pick(SUBJECT_FAULTS)] : []));
  return {
    actors: [first, isTwice ? first : randomRequest(random, systems)],
    processes: random.oneIn(5) ? [1, 1] : [1, 2],
    endsAtError: random.oneIn(2),
    isolation: random.pick(ISOLATIONS),
    budget: Object.fromEntries(faults.map((fault) => [fault, 1])),
  };
}

function randomRequest(random: SeededRandom, systems: (typeof SYSTEMS)[number]): readonly string[] {
  const statements = Array.from({ length: random.between(2, 4) }, () =>
    random.pick(Object.keys(random.pick(systems))),
  );
  const insert = (at: number, one: string): void => {
    statements.splice(at, 0, one);
  };
  if (systems.includes(SQL) && random.oneIn(2)) {
    insert(random.below(statements.length), 'BEGIN' satisfies keyof typeof TRANSACTION);
    statements.push(random.oneIn(5) ? 'ROLLBACK' : 'COMMIT');
  }
  if (random.oneIn(2)) insert(random.between(1, statements.length), random.pick(Object.keys(LOCAL)));
  return statements;
}

/** Programs with one part less. */
export function* smallerThan(program: Program): Generator<Program> {
  const { actors, processes, budget } = program;
  for (const fault of Object.keys(budget))
    yield {
      ...program,
      budget: Object.fromEntries(Object.entries(budget).filter(([name]) => name !== fault)),
    };
  for (const [i, statements] of actors.entries())
    for (const at of statements.keys())
      yield { ...program, actors: actors.with(i, statements.toSpliced(at, 1)) };
  if (new Set(processes).size < processes.length) yield { ...program, processes: [1, 2] };
}
