import { findGuard, type Guard, type GuardExpectation, type OldPages } from '#lab/guard';
import type { FaultName, Options, ViolationKind } from '#lab/strategy';
import type { GatewayFault } from './gateway-fault';

/** A load run of a guard: without a fault, or with the one that its first request carries. */
export interface GuardRow {
  readonly guard: Guard;
  readonly fault: FaultName | 'none';
  /** `x-fault` of the first request; absent: none. */
  readonly header?: string;
  /** What happens to the gateway during the first request; absent: nothing. */
  readonly gateway?: GatewayFault;
  /** The load begins when the fault has fired; otherwise, after a kill, when the replica is back. */
  readonly isDuringRestart?: true;
  readonly options: Partial<Options>;
  /** How many requests ask for the same action: default 2. */
  readonly requestsPerKey?: number;
  /** The pages that are in the cache before the first request; absent: they have expired. */
  readonly oldPages?: OldPages;
  /** Default: what the guard declares for the fault. */
  readonly expected?: GuardExpectation;
}

/** What happens in the run, for tables. */
export const faultLabel = ({ fault, gateway }: GuardRow): string =>
  gateway === undefined ? fault : `gateway ${gateway}`;

const row = (name: string, more: Partial<Omit<GuardRow, 'guard'>> = {}): GuardRow => ({
  guard: findGuard(name),
  fault: 'none',
  options: { workMs: 5 },
  ...more,
});

/** The first request dies at this step; others wait for its lease, which is shorter than they wait. */
const killed = (name: string, at: string, more: Partial<Omit<GuardRow, 'guard'>> = {}): GuardRow =>
  row(name, {
    fault: 'kill',
    header: `account:${at}=kill`,
    options: { leaseMs: 1000, waitMs: 10_000 },
    ...more,
  });

/** A lease that outlives the load: the marker of a dead process is still there. */
const MARKED = { options: { leaseMs: 60_000 } };

/** The first request is paused at this step until a request of another replica has had an effect, after its lease. */
const paused = (name: string, at: string): GuardRow =>
  row(name, {
    fault: 'pause',
    header: `account:${at}=pause(sale)`,
    options: { leaseMs: 300, waitMs: 10_000 },
  });

/** The message of the first request meets this gateway; then all requests are sent, its own again among them. */
const gateway = (name: string, fault: GatewayFault, ...must: readonly ViolationKind[]): GuardRow =>
  row(name, { gateway: fault, expected: { must } });

/**
 * The leader dies with the lock while others wait for it. On a machine that stalls for longer than the lease, that of a living
 * leader ends as well: what the guard declares for that may occur.
 */
function takenOver(name: string, at: string): GuardRow {
  const { lapse, pause } = findGuard(name).expected;
  const late = [lapse, pause].flatMap((one) => [...(one?.must ?? []), ...(one?.may ?? [])]);
  return killed(name, at, {
    options: { leaseMs: 2000, waitMs: 30_000 },
    isDuringRestart: true,
    expected: { must: [], may: [...new Set(late)] },
  });
}

const READERS = { requestsPerKey: 100 };

/** Readers build again after the lease of the dead one, if there are readers then. */
const MAY_BUILD_AGAIN: GuardExpectation = { must: [], may: ['repeated-work'] };

/** Pages that stay fresh for longer than the run, and whose build took so long that about one reader in 20 builds early. */
const BEFORE_EXPIRY: OldPages = { expiresInMs: 60_000, buildMs: 20_000 };

/** Every guard under load, without a fault and with the fault that breaks it. */
export const GUARD_ROWS: readonly GuardRow[] = [
  row('notification/unprotected'),
  row('notification/lock'),
  killed('notification/lock', 'after(SEND)'),
  paused('notification/lock', 'before(SEND)'),
  gateway('notification/lock', 'away'),
  gateway('notification/lock', 'slow', 'duplicate'),
  gateway('notification/lock', 'twice', 'duplicate'),
  row('notification/note-first'),
  killed('notification/note-first', 'after(INSERT)'),
  gateway('notification/note-first', 'away', 'missing'),
  row('notification/outbox'),
  killed('notification/outbox', 'after(INSERT)'),
  killed('notification/outbox', 'after(SEND)'),
  gateway('notification/outbox', 'away'),
  gateway('notification/outbox', 'slow'),
  gateway('notification/outbox', 'twice'),
  row('submission/unprotected'),
  row('submission/expiring-key'),
  killed('submission/expiring-key', 'after(SET)', MARKED),
  row('submission/form-token'),
  killed('submission/form-token', 'after(consume-form-token)'),
  row('submission/unique-key'),
  killed('submission/unique-key', 'before(INSERT)'),
  row('submission/idempotency-key'),
  killed('submission/idempotency-key', 'after(INSERT)'),
  row('page/unprotected', READERS),
  row('page/lock', { ...READERS, options: { workMs: 50, waitMs: 20_000 } }),
  row('page/stale', { ...READERS, options: { workMs: 50 } }),
  row('page/single-flight', { ...READERS, options: { workMs: 50 } }),
  killed('page/lock', 'after(INSERT)', READERS),
  killed('page/stale', 'after(INSERT)', { ...READERS, expected: MAY_BUILD_AGAIN }),
  row('page/early', READERS),
  row('page/early', { ...READERS, oldPages: BEFORE_EXPIRY, expected: MAY_BUILD_AGAIN }),
  row('coupon/unprotected'),
  row('coupon/null-cached', { options: { workMs: 5, waitMs: 20_000 } }),
  killed('coupon/null-cached', 'after(INSERT)'),
  row('coupon/bloom-filter'),
  row('warm-up/same-expiry', READERS),
  row('warm-up/jittered', READERS),
  row('order-number/max-plus-one'),
  row('order-number/incr'),
  row('order-number/segment-unlocked'),
  row('order-number/segment-locked'),
  row('order-number/segment-conditional'),
  row('order-number/double-buffer'),
  row('job/every-replica'),
  row('job/lock-while-running'),
  row('job/lock-for-period', { options: { leaseMs: 60_000, workMs: 5 } }),
  killed('job/lock-for-period', 'after(SET)', MARKED),
  row('job/marker'),
  killed('job/marker', 'after(INSERT)'),
  row('leader/no-election'),
  row('leader/lease', { options: { waitMs: 30_000 } }),
  paused('leader/lease', 'before(INSERT)'),
  takenOver('leader/lease', 'before(INSERT)'),
  row('leader/lease-fenced', { options: { waitMs: 30_000 } }),
  paused('leader/lease-fenced', 'before(INSERT)'),
  row('leader/named-lock', { options: { waitMs: 30_000 } }),
  takenOver('leader/named-lock', 'before(INSERT)'),
  row('leader/zookeeper', { options: { waitMs: 30_000 } }),
  takenOver('leader/zookeeper', 'before(INSERT)'),
  row('leader/zookeeper-fenced', { options: { waitMs: 30_000 } }),
  row('leader/etcd', { options: { waitMs: 30_000 } }),
  takenOver('leader/etcd', 'before(INSERT)'),
  row('leader/etcd-fenced', { options: { waitMs: 30_000 } }),
  row('consumption/unprotected'),
  row('consumption/lock'),
  killed('consumption/lock', 'after(SET)', MARKED),
  row('consumption/unique-key'),
  killed('consumption/unique-key', 'after(INSERT)'),
];
