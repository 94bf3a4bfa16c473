import type { Component } from '#lab/step';
import {
  CATALOGUE,
  type Capability,
  type Circumstance,
  type Strategy,
  type ViolationKind,
} from '#lab/strategy';

/** A kind of fault, and what a strategy must promise to be sold by while it happens. */
export interface Kind {
  readonly name: string;
  /** What it is, a few words. */
  readonly is: string;
  readonly needs: readonly Capability[];
  /** What the catalogue says of it, where it says something. */
  readonly circumstances: readonly Circumstance[];
  /** The servers on demand that it hits: a strategy that needs them is sold by meanwhile. */
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

/** Faults after which somebody may be at work whose lease is over. */
export const ENDS_LEASES: readonly Kind[] = [
  kind('pause', 'a replica stands still (SIGSTOP)', ['survivesLapse'], ENDED),
  kind('block', 'an event loop stands still', ['survivesLapse'], ENDED),
  kind('redis-killed', 'Redis is killed, and starts again empty', ['survivesLapse'], ENDED),
  kind('redis-paused', 'Redis stands still (SIGSTOP)', ['survivesLapse', 'noticesLoss'], ENDED),
  kind(
    'redis-cut',
    'the network between a replica and Redis swallows everything, then resets',
    ['survivesLapse', 'noticesLoss'],
    ENDED,
  ),
];

export const KILLS: readonly Kind[] = [
  kind('kill', 'a replica that sells is killed (SIGKILL)', ['survivesDeadHolder'], ['holder-killed']),
  kind('order-killed', 'a replica that places orders is killed (SIGKILL), half-way with one', [], []),
];

/** Faults of the database, of the work and of nginx: no lease ends that its holder could have kept. */
export const TAKES_TIME: readonly Kind[] = [
  kind('delay', 'work takes longer than the lease', ['survivesSlowWork'], ['work-outlives-lease']),
  kind('database-killed', 'the database is killed, and recovers', ['survivesFailedWrite'], []),
  kind('database-cut', 'all connections to the database are killed', ['survivesFailedWrite'], []),
  kind('nginx-reloaded', 'nginx reads its configuration anew', [], []),
];

/** Faults of one statement, and of servers of which others are left. */
export const LOSES_PARTS: readonly Kind[] = [
  kind('lose-reply', 'a write is done, its reply is lost', ['survivesFailedWrite'], []),
  kind('error', 'a COMMIT is not sent', ['survivesFailedWrite'], []),
  kind('voter-lost', 'one Redis of five is killed', [], ['server-down'], 'redlock'),
  kind('replica-lost', 'one replica of Redis is killed', [], [], 'replica'),
];

export const ALL_KINDS: readonly Kind[] = [...KILLS, ...ENDS_LEASES, ...TAKES_TIME, ...LOSES_PARTS];

/** What a strategy promises that is sold by for ten minutes, whatever the fault. */
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

/** Violations that move no rows: a strategy may show them where the catalogue says so. */
const HARMLESS: ReadonlySet<ViolationKind> = new Set(['overlap', 'orphan']);

const shown = ({ expected }: Strategy, kinds: readonly Kind[]): readonly ViolationKind[] =>
  [...kinds.flatMap(({ circumstances }) => circumstances), 'replicas' as const].flatMap((circumstance) => {
    const { must = [], may = [] } = expected[circumstance] ?? {};
    return [...must, ...may];
  });

/** The strategies that, by the catalogue's own words, sell nothing wrong under these faults. */
export const eligible = (kinds: readonly Kind[], components: readonly Component[]): readonly Strategy[] =>
  CATALOGUE.filter(
    (strategy) =>
      (strategy.needs ?? []).every((component) => components.includes(component)) &&
      [...ALWAYS, ...kinds.flatMap(({ needs }) => needs)].every((need) => !strategy.lacks.includes(need)) &&
      shown(strategy, kinds).every((violation) => HARMLESS.has(violation)),
  );

/** What may be seen of a strategy under these faults, and is no fault of it. */
export const allowed = (strategy: Strategy, kinds: readonly Kind[]): readonly ViolationKind[] => [
  ...new Set(shown(strategy, kinds).filter((violation) => HARMLESS.has(violation))),
];
