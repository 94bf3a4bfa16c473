import type { Component } from '#lab/step';
import {
  CATALOGUE,
  type Capability,
  type Circumstance,
  type Strategy,
  type ViolationKind,
} from '#lab/strategy';

/** A kind of fault, and the capabilities that a strategy needs to run while it happens. */
export interface Kind {
  readonly name: string;
  /** One-line description. */
  readonly is: string;
  readonly needs: readonly Capability[];
  /** The circumstances of the catalogue that the fault can cause. */
  readonly circumstances: readonly Circumstance[];
  /** The component that it hits. A strategy that needs this component runs in the same minute. */
  readonly component?: Component;
}

const kind = (
  name: string,
  is: string,
  needs: readonly Capability[],
  circumstances: readonly Circumstance[],
  component?: Component,
): Kind => ({ name, is, needs, circumstances, ...(component !== undefined && { component }) });

const ENDED: readonly Circumstance[] = ['paused-before-write', 'paused-in-acquire', 'work-outlives-lease'];

/** Faults after which a holder may still be at work although its lease has ended. */
export const ENDS_LEASES: readonly Kind[] = [
  kind('pause', 'a replica is paused (SIGSTOP)', ['survivesLapse'], ENDED),
  kind('block', 'an event loop is blocked', ['survivesLapse'], ENDED),
  kind('redis-killed', 'Redis is killed and restarts empty', ['survivesLapse'], ENDED),
  kind('redis-paused', 'Redis is paused (SIGSTOP)', ['survivesLapse', 'noticesLoss'], ENDED),
  kind(
    'redis-cut',
    'the network between a replica and Redis drops all data, then resets the connections',
    ['survivesLapse', 'noticesLoss'],
    ENDED,
  ),
];

export const KILLS: readonly Kind[] = [
  kind(
    'kill',
    'an inventory replica is killed (SIGKILL) while it sells',
    ['survivesDeadHolder'],
    ['holder-killed'],
  ),
  kind('order-killed', 'an order replica is killed (SIGKILL) in the middle of an order', [], []),
];

/** Faults of the database, the work and nginx. They end no lease that its holder could have kept. */
export const TAKES_TIME: readonly Kind[] = [
  kind('delay', 'work takes longer than the lease', ['survivesSlowWork'], ['work-outlives-lease']),
  kind('database-killed', 'the database is killed and recovers', ['survivesFailedWrite'], []),
  kind('database-cut', 'all connections to the database are killed', ['survivesFailedWrite'], []),
  kind('nginx-reloaded', 'nginx reloads its configuration', [], []),
];

/** Faults of one statement, and of one server of several. */
export const LOSES_PARTS: readonly Kind[] = [
  kind('lose-reply', 'the reply to a write is lost', ['survivesFailedWrite'], []),
  kind('error', 'a COMMIT is not sent', ['survivesFailedWrite'], []),
  kind('voter-lost', 'one Redis of five is killed', [], ['server-down'], 'redlock'),
  kind('replica-lost', 'one replica of Redis is killed', [], [], 'replica'),
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
