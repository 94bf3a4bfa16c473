import { count } from '#lab/step';

/** The lock was not obtained within `waitMs`. */
export class LockNotObtained extends Error {
  readonly code = 'LOCK.NOT_OBTAINED';

  constructor(
    readonly key: string,
    readonly attempts: number,
    readonly waitedMs: number,
  ) {
    super(
      `${key} is held by another client: ${count(attempts, 'try', 'tries')} in ${Math.round(waitedMs)} ms. Try again, or wait longer (waitMs)`,
    );
    this.name = 'LockNotObtained';
  }
}

/** The lease ended during the work: the sale was not written. */
export class LockLost extends Error {
  readonly code = 'LOCK.LOST';

  constructor(readonly key: string) {
    super(
      `${key} was lost during the work: this request changed nothing. Try again, or choose a longer lease (leaseMs)`,
    );
    this.name = 'LockLost';
  }
}

/** A replica did not acknowledge the lock in time: a failover to it would lose the lock. */
export class LockNotReplicated extends Error {
  readonly code = 'LOCK.NOT_REPLICATED';

  constructor(
    readonly key: string,
    readonly acknowledged: number,
    readonly wanted: number,
  ) {
    super(
      `${key} was released: ${acknowledged} of ${count(wanted, 'replica')} acknowledged it in time, and a failover to another one would lose it. Try again; if this persists, check the replicas`,
    );
    this.name = 'LockNotReplicated';
  }
}

/** A reader asked for the write lock before it released its read lock. */
export class UpgradeRefused extends Error {
  readonly code = 'LOCK.UPGRADE';

  constructor(readonly key: string) {
    super(
      `${key}: this request holds the read lock, and would wait for itself. Release the read lock, acquire the write lock, and read again`,
    );
    this.name = 'UpgradeRefused';
  }
}
