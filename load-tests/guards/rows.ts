import { findGuard, type Guard } from '#lab/guard';
import type { FaultName, Options } from '#lab/strategy';

/** A load run of a guard: without a fault, or with the one that its first request carries. */
export interface GuardRow {
  readonly guard: Guard;
  readonly fault: FaultName | 'none';
  /** `x-fault` of the first request; absent: none. */
  readonly header?: string;
  readonly options: Partial<Options>;
  /** How many requests ask for the same action: default 2. */
  readonly requestsPerKey?: number;
}

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

const READERS = { requestsPerKey: 100 };

/** Every guard under load, without a fault and with the fault that breaks it. */
export const GUARD_ROWS: readonly GuardRow[] = [
  row('notification/unprotected'),
  row('notification/lock'),
  killed('notification/lock', 'after(SEND)'),
  paused('notification/lock', 'before(SEND)'),
  row('notification/note-first'),
  killed('notification/note-first', 'after(INSERT)'),
  row('notification/outbox'),
  killed('notification/outbox', 'after(INSERT)'),
  killed('notification/outbox', 'after(SEND)'),
  row('submission/unprotected'),
  row('submission/expiring-key'),
  killed('submission/expiring-key', 'after(SET)', MARKED),
  row('submission/form-token'),
  killed('submission/form-token', 'after(consume-form-token)'),
  row('submission/unique-key'),
  killed('submission/unique-key', 'before(INSERT)'),
  row('page/unprotected', READERS),
  row('page/lock', { ...READERS, options: { workMs: 50, waitMs: 20_000 } }),
  row('page/stale', { ...READERS, options: { workMs: 50 } }),
  row('page/single-flight', { ...READERS, options: { workMs: 50 } }),
  row('page/early', READERS),
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
  row('leader/lease-fenced', { options: { waitMs: 30_000 } }),
  paused('leader/lease-fenced', 'before(INSERT)'),
  row('leader/named-lock', { options: { waitMs: 30_000 } }),
  row('leader/zookeeper', { options: { waitMs: 30_000 } }),
  row('leader/zookeeper-fenced', { options: { waitMs: 30_000 } }),
  row('leader/etcd', { options: { waitMs: 30_000 } }),
  row('leader/etcd-fenced', { options: { waitMs: 30_000 } }),
  row('consumption/unprotected'),
  row('consumption/lock'),
  killed('consumption/lock', 'after(SET)', MARKED),
  row('consumption/unique-key'),
  killed('consumption/unique-key', 'after(INSERT)'),
];
