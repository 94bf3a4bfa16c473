import type { Component } from '#lab/step';
import {
  CATALOGUE,
  FAULTS,
  type Capability,
  type Circumstance,
  type FaultName,
  type Strategy,
  type ViolationKind,
} from '#lab/strategy';

/** How a soak injects a fault into running servers. */
export interface Kind {
  readonly name: string;
  /** One-line description. */
  readonly is: string;
  /** What it is to a strategy; absent: it hits none. */
  readonly fault?: FaultName;
  /** The capabilities that a strategy needs to run while it happens. */
  readonly needs: readonly Capability[];
  /** The circumstances of the catalogue that it can cause. */
  readonly circumstances: readonly Circumstance[];
  /** The component that it hits. A strategy that needs this component runs in the same minute. */
  readonly component?: Component;
}

const kind = (name: string, is: string, fault?: FaultName, component?: Component): Kind => ({
  name,
  is,
  ...(fault !== undefined && { fault }),
  needs: fault === undefined ? [] : FAULTS[fault].tests,
  circumstances: fault === undefined ? [] : FAULTS[fault].circumstances,
  ...(component !== undefined && { component }),
});

/** Faults after which a holder may still be at work although its lease has ended. */
export const ENDS_LEASES: readonly Kind[] = [
  kind('pause', 'a replica is paused (SIGSTOP)', 'pause'),
  kind('block', 'an event loop is blocked', 'pause'),
  kind('redis-killed', 'Redis is killed and restarts empty', 'flush'),
  kind('redis-paused', 'Redis is paused (SIGSTOP)', 'cut'),
  kind(
    'redis-cut',
    'the network between a replica and Redis drops all data, then resets the connections',
    'cut',
  ),
];

export const KILLS: readonly Kind[] = [
  kind('kill', 'an inventory replica is killed (SIGKILL) while it sells', 'kill'),
  kind('order-killed', 'an order replica is killed (SIGKILL) in the middle of an order'),
];

/** Faults of the database, the work and nginx. They end no lease that its holder could have kept. */
export const TAKES_TIME: readonly Kind[] = [
  kind('delay', 'work takes longer than the lease', 'slow'),
  kind('database-killed', 'the database is killed and recovers', 'lost-session'),
  kind('database-cut', 'all connections to the database are killed', 'lost-session'),
  kind('nginx-reloaded', 'nginx reloads its configuration'),
];

/** Faults of one statement, of one server of several, and of a server that only some strategies need. */
export const LOSES_PARTS: readonly Kind[] = [
  kind('lose-reply', 'the reply to a write is lost', 'lose-reply'),
  { ...kind('error', 'a COMMIT is not sent', 'error'), circumstances: [] }, // it hits no release
  kind('voter-lost', 'one Redis of five is killed', 'server-down', 'redlock'),
  kind('replica-lost', 'one replica of Redis is killed', undefined, 'replica'),
  // their data survives: a lock is still held after the restart, until its session or lease ends
  kind('zookeeper-killed', 'ZooKeeper is killed and restarts with its data', 'server-down', 'zookeeper'),
  kind('etcd-killed', 'etcd is killed and restarts with its data', 'server-down', 'etcd'),
];

export const ALL_KINDS: readonly Kind[] = [...KILLS, ...ENDS_LEASES, ...TAKES_TIME, ...LOSES_PARTS];

/** Capabilities that every strategy of a soak needs, independent of the faults. */
const ALWAYS: readonly Capability[] = [
  'exactInOneProcess',
  'exactAcrossProcesses',
  'survivesDeadHolder',
  'sellsToTheLast',
  'releasesOnlyItsOwn',
  'releasesAfterSale',
  'survivesFailedRelease',
  'grantsOneLease',
  'losersTouchNothing',
  'renewsOnlyItsOwn',
];

/** Violations that change no rows. A strategy may show them where the catalogue allows it. */
const HARMLESS: ReadonlySet<ViolationKind> = new Set(['overlap', 'orphan']);

const shown = ({ expected }: Strategy, kinds: readonly Kind[]): readonly ViolationKind[] =>
  [...kinds.flatMap(({ circumstances }) => circumstances), 'replicas' as const].flatMap((circumstance) => {
    const { must = [], may = [] } = expected[circumstance] ?? {};
    return [...must, ...may];
  });

/** The strategies that sell correctly under these faults, according to the catalogue. */
export const eligible = (kinds: readonly Kind[], components: readonly Component[]): readonly Strategy[] =>
  CATALOGUE.filter(
    (strategy) =>
      (strategy.needs ?? []).every((component) => components.includes(component)) &&
      [...ALWAYS, ...kinds.flatMap(({ needs }) => needs)].every((need) => !strategy.lacks.includes(need)) &&
      shown(strategy, kinds).every((violation) => HARMLESS.has(violation)),
  );

/** The violations that the catalogue allows for a strategy under these faults. */
export const allowed = (strategy: Strategy, kinds: readonly Kind[]): readonly ViolationKind[] => [
  ...new Set(shown(strategy, kinds).filter((violation) => HARMLESS.has(violation))),
];
