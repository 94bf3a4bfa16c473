import { explore, InvariantViolated, type ActorOutcome, type Options, type Servers } from '#lab/kit';
import { servers as testServers } from '../harness/servers';

/** The servers of the test run, and the Redis database of this jest worker. */
export const kitServers = (): Servers => {
  const { redis, mysql } = testServers();
  // eslint-disable-next-line no-restricted-properties -- jest passes the number of its worker through the environment only
  return { redis: `${redis}/${process.env['JEST_WORKER_ID'] ?? '1'}`, mysql };
};

/** What schedules of a subject showed. */
interface Shown {
  /** The different results of all schedules. */
  readonly results: readonly string[];
  readonly schedules: number;
  /** The lanes of one schedule. */
  readonly lanes: string;
}

/** Runs every schedule of actors, collects their results, and draws one schedule. */
export async function showAll<Clients extends object>(
  options: Omit<Options<Clients>, 'invariants'>,
  resultOf: (clients: Clients, outcomes: readonly ActorOutcome[]) => unknown,
): Promise<Shown> {
  const results = new Set<string>();
  const all = { servers: kitServers(), ...options };
  const { complete, schedules } = await explore({
    ...all,
    invariants: {
      'its result is collected': async (clients, outcomes) => {
        results.add(JSON.stringify(await resultOf(clients, outcomes)));
        return true;
      },
    },
  });
  expect(complete).toBe(true);
  const { lanes } = await violationOf({ ...all, invariants: { 'it is drawn': () => false } });
  return { results: [...results].sort(), schedules, lanes };
}

/** The violation that an exploration must find. */
export async function violationOf<Clients extends object>(
  options: Options<Clients>,
): Promise<InvariantViolated> {
  const found: unknown = await explore({ servers: kitServers(), ...options }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (found instanceof InvariantViolated) return found;
  throw new Error('no invariant was violated', { cause: found });
}
