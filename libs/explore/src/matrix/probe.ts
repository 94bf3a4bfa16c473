import { count, locksInDatabase, ORDER_KEY } from '#lab/step';
import type { Strategy } from '#lab/strategy';
import { Run } from '../execution';
import { EXPLORE_OPTIONS, finishAll } from '../schedule';
import { BALANCE, requestsNamedLock, SocketWatch, type World } from '../world';

/** What a request shows that is alone. */
export interface Probe {
  /** `APPLIED`, or the code of its error. */
  readonly code: string;
  readonly text: string;
  /** Commands and connections that did not pass the seam: no schedule can order them. */
  readonly unseen: readonly string[];
  /** What it leaves on the servers. */
  readonly left: readonly string[];
  /** False: it takes a lock of which the explorer knows no owner, such as an entry of a list or of a sorted set. */
  readonly lockHasOwner: boolean;
  /** It requests a lock with GET_LOCK. */
  readonly requestsNamedLock: boolean;
  /** Commands that may have taken a lock; none of them is known to be one. Empty: a lock was seen, or it holds one in the database. */
  readonly withoutLock: readonly string[];
}

/** Commands that are listed. */
const LISTED = 3;

/** A key that the strategy declares, or of the lab itself. */
const isOwn = ({ keys }: Strategy, key: string): boolean =>
  key === ORDER_KEY || keys?.(BALANCE).includes(key) === true;

/** The commands that a lock of a file has sent to the places where its locks may be, when none was seen there. */
function withoutLock({ lockStores, eventLog }: Run): readonly string[] {
  const { events } = eventLog;
  if (events.some(({ locks = [] }) => locks.length > 0)) return [];
  const steps = events.flatMap((event) => (event.type === 'step' ? [eventLog.stepOf(event)] : []));
  if (steps.some(({ text }) => locksInDatabase(text))) return [];
  return steps.filter((step) => lockStores.some((store) => store.touchedBy(step))).map(({ text }) => text);
}

function lockHasOwner({ eventLog }: Run): boolean {
  const taken = eventLog.events.flatMap(({ locks = [] }) => locks.filter(({ change }) => change === 'taken'));
  return taken.length === 0 || taken.some(({ by }) => by !== undefined);
}

/** The database sessions of the pools that actors receive. */
const sessionsOf = ({ connectionsOfActors }: World): ReadonlySet<number> =>
  new Set(connectionsOfActors.flatMap(({ sockets }) => [...sockets.keys()]));

/** The database sessions of the steps of a run. */
const sessionsUsedBy = ({ eventLog }: Run): ReadonlySet<number> =>
  new Set(
    eventLog.events.flatMap((event) =>
      event.type === 'step' ? (eventLog.stepOf(event).connection ?? []) : [],
    ),
  );

/** Runs one request alone, and compares the steps that the explorer saw with what the servers counted. */
export async function probe(world: World, strategy: Strategy): Promise<Probe> {
  const setup = { strategy, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1'] };
  const first = await Run.begin(world, setup);
  await finishAll(first); // opens the connections that a pool opens when they are needed
  const watch = await world.watch(strategy);
  const known = sessionsOf(world);
  const sockets = SocketWatch.open(world.options);
  sockets.begin();
  let keys: readonly string[] = [];
  const second = await Run.begin(world, setup);
  const { events } = await finishAll(second, async () => {
    keys = await world.keysWithoutExpiry();
  });
  const sent = sockets.end();
  sockets.close();
  const steps = events.filter((event) => event.type === 'step');
  const { commands, databaseConnections, redisConnections } = await watch.end(steps);
  const opened = [...sessionsUsedBy(second)].filter((thread) => !known.has(thread));
  const open = sessionsOf(world);
  const kept = opened.filter((thread) => open.has(thread)).length; // those of the first request are in use
  const unseenConnections = databaseConnections - opened.length;
  const end = events.find((event) => event.type === 'end');
  const death = events.find((event) => event.type === 'fault'); // of an unhandled error
  return {
    code: end?.code ?? 'UNFINISHED',
    text: end?.text ?? death?.text ?? 'it does not end',
    unseen: [
      ...commands.slice(0, LISTED).map((command) => `Redis received ${command}`),
      ...(commands.length > LISTED ? [`${commands.length - LISTED} more commands`] : []),
      ...(unseenConnections > 0 ? [`${count(unseenConnections, 'connection')} to the database`] : []),
      ...(sent !== undefined && commands.length === 0 && unseenConnections <= 0 ? [sent] : []), // over a connection that an earlier request opened
    ],
    left: [
      ...keys.filter((key) => !isOwn(strategy, key)).map((key) => `the key ${key}, which never expires`),
      ...(kept > 0 ? [`${count(kept, 'connection')} of its pool, which it does not release`] : []),
      ...(redisConnections > 0 ? [`${count(redisConnections, 'connection')} to Redis`] : []),
    ],
    lockHasOwner: lockHasOwner(first),
    requestsNamedLock: steps.some(requestsNamedLock),
    withoutLock: strategy.isLock === true ? withoutLock(first) : [],
  };
}
