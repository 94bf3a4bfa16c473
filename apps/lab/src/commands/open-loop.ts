import { ARRIVALS, arrivalsOf, type Arrivals, type OpenLoop } from '#load-tests/arrivals';
import { Option, type Command } from 'commander';
import { randomInt } from 'node:crypto';
import { EXIT, Failure } from '../failure';
import { MOST_REQUESTS, whole } from './numbers';

/** The options of a load that arrives at a rate. */
export interface OpenLoopOptions {
  readonly rate?: number;
  readonly seconds?: number;
  readonly arrivals?: Arrivals;
  readonly seed?: number;
  readonly inFlight?: number;
}

const SECONDS = 10;
const MOST_SECONDS = 600;
/** One process cannot send more. */
const MOST_PER_SECOND = 20_000;
/** More than the replicas admit. */
const MOST_IN_FLIGHT = 1500;
const LARGEST_SEED = 2 ** 31 - 1;

export const openLoopOptions = (command: Command): Command =>
  command
    .option(
      '--rate <n>',
      'open loop: orders per second, sent at their times whatever the answers do',
      whole(1, MOST_PER_SECOND),
    )
    .option('--seconds <n>', `duration of --rate (${SECONDS})`, whole(1, MOST_SECONDS))
    .addOption(new Option('--arrivals <how>', 'arrivals of --rate (poisson)').choices(ARRIVALS))
    .option('--seed <n>', 'seed of the poisson arrivals of --rate (random)', whole(0, LARGEST_SEED))
    .option(
      '--in-flight <n>',
      `with --rate: requests in flight at most; others wait, and are late (${MOST_IN_FLIGHT})`,
      whole(1, MOST_IN_FLIGHT),
    );

/**
 * The open loop that the options ask for; undefined: a closed loop. Throws `Failure` when they contradict each other or those
 * of the closed loop.
 */
export function readOpenLoop(
  given: OpenLoopOptions & { readonly requests?: number; readonly connections?: number },
): OpenLoop | undefined {
  const { rate, seconds = SECONDS, arrivals = 'poisson', seed, inFlight = MOST_IN_FLIGHT } = given;
  if (rate === undefined) {
    const surplus = (['seconds', 'arrivals', 'seed', 'inFlight'] as const).find(
      (name) => given[name] !== undefined,
    );
    if (surplus === undefined) return undefined;
    const option = surplus === 'inFlight' ? '--in-flight' : `--${surplus}`;
    throw new Failure(`${option} belongs to an open loop: give --rate, too`, EXIT.usage);
  }
  const orders = arrivalsOf({ perSecond: rate, seconds });
  if (given.connections !== undefined)
    throw new Failure(
      '--connections is the number of buyers of a closed loop, and --rate is an open loop. Omit one of the two; --in-flight limits an open loop',
      EXIT.usage,
    );
  if (given.requests !== undefined && given.requests !== orders)
    throw new Failure(
      `--rate ${rate} for ${seconds} s is ${orders} orders, and --requests is ${given.requests}. Omit --requests, or change --seconds`,
      EXIT.usage,
    );
  if (orders > MOST_REQUESTS)
    throw new Failure(
      `--rate ${rate} for ${seconds} s is ${orders} orders; a run has at most ${MOST_REQUESTS}. Reduce --rate or --seconds`,
      EXIT.usage,
    );
  return { perSecond: rate, seconds, arrivals, seed: seed ?? randomInt(LARGEST_SEED), inFlight };
}
