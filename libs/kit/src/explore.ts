import {
  drawLanes,
  EXPLORE_OPTIONS,
  explore as search,
  isBlind,
  onUnhandledRejection,
  play,
  readToken,
  replaceGlobals,
  scheduleTokenOf,
  shrinkWorst,
  TokenSyntaxError,
  UnobservedCommand,
  withTimeLimit,
  workMsFor,
  World,
  worstWitness,
  writeToken,
  type Budget,
  type Plan,
  type Played,
  type Setup,
  type Tally,
} from '#lab/explore';
import { actorsOf, NotASubject, readDefinition, subjectNamed, type OwnSubject } from '#lab/own';
import {
  ISOLATIONS,
  SUBJECT_FAULTS,
  type Connect,
  type Isolation,
  type SubjectDefinition,
  type SubjectFault,
} from '#lab/subject';
import { CannotExplore, InvariantViolated } from './errors';
import { readMysql, readRedis, startServers, type Servers } from './servers';

/** How often each fault may happen in one schedule: docs/faults.md. */
export type Faults = Partial<Readonly<Record<SubjectFault, number>>>;

/** What to explore, and how. */
export interface Options<Clients extends object> extends SubjectDefinition<Clients> {
  /** Opens the clients of one actor, and once those of `setUp`, `prepare` and the invariants. */
  readonly connect: Connect<Clients>;
  /** Part of the token. Default: `subject`. */
  readonly name?: string;
  /** Servers that run already. Default: private ones, for this exploration. */
  readonly servers?: Servers;
  /** How often each fault may happen in one schedule, e.g. `{ kill: 1 }`. Default: none. */
  readonly faults?: Faults;
  /** The isolation level of the actors' sessions. Default: that of the server. */
  readonly isolation?: Isolation;
  /** Ends the search after this time. Default: 60. */
  readonly seconds?: number;
  /** Ends the search after this number of schedules. Default: no limit. */
  readonly max?: number;
  /** Runs only the schedule of this token. */
  readonly token?: string;
}

/** No invariant is violated. */
export interface Explored {
  /** Schedules that were run. */
  readonly schedules: number;
  /** Every schedule was run; false: `seconds` or `max` ended the search. */
  readonly complete: boolean;
  readonly seconds: number;
}

const DEFAULT_SECONDS = 60;

/**
 * Runs the actors in every order of their steps, on real servers. Throws `InvariantViolated` with the shortest schedule after
 * which an invariant is false.
 */
export async function explore<Clients extends object>(options: Options<Clients>): Promise<Explored> {
  const { subject, served } = readOptions(options);
  const servers = options.servers === undefined ? await startServers() : undefined;
  const restoreGlobals = replaceGlobals();
  process.on('unhandledRejection', onUnhandledRejection);
  try {
    const world = await World.open({
      ...(servers === undefined ? readServers(options.servers as Servers) : readServers(servers)),
      schema: `lab_kit_${process.pid}_${++opened}`,
      onlySubjects: true,
    });
    try {
      await world.openSubject(subject);
      return await (options.token === undefined
        ? searchAll(world, subject, options, served)
        : runToken(world, subject, options.token));
    } finally {
      await world.close();
    }
  } finally {
    process.off('unhandledRejection', onUnhandledRejection);
    restoreGlobals();
    await servers?.stop();
  }
}

let opened = 0;

const readServers = ({ redis, mysql }: Servers) => ({ ...readRedis(redis), mysql: readMysql(mysql) });

/** What the actors' functions did in all schedules. */
interface Served {
  returned: number;
  /** The last error of each actor. */
  readonly errors: Map<number, unknown>;
}

/** The names of all options. */
const OPTIONS: Readonly<Record<keyof Options<object>, true>> = {
  actors: true,
  invariants: true,
  setUp: true,
  prepare: true,
  connect: true,
  name: true,
  servers: true,
  faults: true,
  isolation: true,
  seconds: true,
  max: true,
  token: true,
};

function readOptions<Clients extends object>(
  options: Options<Clients>,
): { readonly subject: OwnSubject; readonly served: Served } {
  const unknown = Object.keys(options).find((option) => !(option in OPTIONS));
  if (unknown !== undefined)
    throw new CannotExplore(
      `there is no option "${unknown}": the options are ${Object.keys(OPTIONS).join(', ')}`,
    );
  const { connect, name = 'subject', isolation, faults = {}, servers } = options;
  if (typeof connect !== 'function')
    throw new CannotExplore('connect must be a function that opens the clients of one actor');
  if (isolation !== undefined && !ISOLATIONS.includes(isolation))
    throw new CannotExplore(`isolation must be one of: ${ISOLATIONS.join(', ')}`);
  for (const [fault, times] of Object.entries(faults))
    if (!SUBJECT_FAULTS.some((one) => one === fault) || !Number.isInteger(times) || times < 0 || times > 9)
      throw new CannotExplore(
        `faults: "${fault}: ${times}" must be one of ${SUBJECT_FAULTS.join(', ')}, with a number from 0 to 9`,
      );
  if (servers !== undefined) readServers(servers);
  const served: Served = { returned: 0, errors: new Map() };
  const definition = definitionIn(options);
  const noted = subjectNamed(
    `kit-${name.replace(/[^A-Za-z0-9]+/g, '-')}`,
    { ...definition, actors: noting(definition, served) },
    { connect, ...(isolation !== undefined && { isolation }) },
  );
  return { subject: { ...noted, apply: subjectNamed(name, definition).apply }, served };
}

function definitionIn(options: unknown): SubjectDefinition<object> {
  try {
    return readDefinition(options);
  } catch (error) {
    throw error instanceof NotASubject ? new CannotExplore(error.message, { cause: error }) : error;
  }
}

const noting = (definition: SubjectDefinition<object>, served: Served): SubjectDefinition<object>['actors'] =>
  actorsOf(definition).map(({ process, run }, i) => ({
    process,
    run: async (clients) => {
      try {
        const value = await run(clients);
        served.returned++;
        return value;
      } catch (error) {
        served.errors.set(i, error);
        throw error;
      }
    },
  }));

function setupOf(subject: OwnSubject, faults: Budget): Setup {
  return {
    strategy: subject,
    options: { ...EXPLORE_OPTIONS, workMs: workMsFor(faults) },
    stock: 0,
    processes: actorsOf(subject.definition).map(({ process }) => process),
  };
}

async function searchAll(
  world: World,
  subject: OwnSubject,
  { faults = {}, seconds = DEFAULT_SECONDS, max }: Pick<Options<object>, 'faults' | 'seconds' | 'max'>,
  served: Served,
): Promise<Explored> {
  const plan: Plan = { setup: setupOf(subject, faults), budget: faults, faultPlaces: {}, reduce: true };
  const found = new AbortController();
  const begun = performance.now();
  const tally = await search(world, plan, {
    signal: withTimeLimit(found.signal, seconds * 1000),
    ...(max !== undefined && { max }),
    onProgress: ({ violating }) => {
      if (violating > 0) found.abort();
    },
  });
  const took = (performance.now() - begun) / 1000;
  if (!isBlind(tally)) await throwWitness(world, plan, tally);
  throwIfNoneReturned(served);
  if (isBlind(tally))
    throw new CannotExplore(
      'no command of the actors was observed, so that nothing was tested: return the ioredis client, the mysql2 pool or the TypeORM data source itself from connect, at the top level',
    );
  return { schedules: tally.schedules, complete: !tally.partial, seconds: took };
}

async function throwWitness(world: World, plan: Plan, tally: Tally): Promise<void> {
  const worst = worstWitness(tally);
  if (worst === undefined) return;
  throw violation(plan.setup, await shrinkWorst(world, plan, tally, worst), tally.schedules);
}

/** An invariant that holds because no actor did anything proves nothing. */
function throwIfNoneReturned({ returned, errors }: Served): void {
  const [error] = errors.values();
  if (returned > 0 || error === undefined) return;
  throw new CannotExplore(
    `every actor threw in every schedule, so that nothing was tested: ${error instanceof Error ? error.message : 'see its cause'}`,
    { cause: error },
  );
}

async function runToken(world: World, subject: OwnSubject, token: string): Promise<Explored> {
  const { setup, choices } = readOwnToken(token, subject);
  const begun = performance.now();
  const played = await play(world, setup, choices, { strict: false });
  if (played.verdict.violations.length > 0) throw violation(setup, played, 1);
  if (played.unobserved !== undefined) throw new UnobservedCommand(played.unobserved);
  return { schedules: 1, complete: false, seconds: (performance.now() - begun) / 1000 };
}

function readOwnToken(token: string, subject: OwnSubject): ReturnType<typeof readToken> {
  try {
    return readToken(token, subject);
  } catch (error) {
    if (error instanceof TokenSyntaxError) throw new CannotExplore(error.message, { cause: error });
    throw new CannotExplore(
      `the token "${token.slice(0, 60)}" is not of the subject "${subject.name}": run it with its own name`,
      { cause: error },
    );
  }
}

function violation(setup: Setup, played: Played, schedules: number): InvariantViolated {
  const { history, verdict } = played;
  return new InvariantViolated(
    verdict.violations.map(({ sentence }) => sentence),
    drawLanes(history, verdict),
    writeToken(scheduleTokenOf(setup, played)),
    schedules,
  );
}
