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
      `${key} is held by somebody else: ${count(attempts, 'try', 'tries')} in ${Math.round(waitedMs)} ms. Try again, or wait longer (waitMs)`,
    );
    this.name = 'LockNotObtained';
  }
}

/** The lease ended while the work was going on: the sale was not written. */
export class LockLost extends Error {
  readonly code = 'LOCK.LOST';

  constructor(readonly key: string) {
    super(
      `${key} was lost during the work: nothing was sold. Try again, or ask for a longer lease (leaseMs)`,
    );
    this.name = 'LockLost';
  }
}

/** A replica did not acknowledge the lock in time: after a failover it would not be there. */
export class LockNotReplicated extends Error {
  readonly code = 'LOCK.NOT_REPLICATED';

  constructor(
    readonly key: string,
    readonly acknowledged: number,
    readonly wanted: number,
  ) {
    super(
      `${key} was given back: ${acknowledged} of ${count(wanted, 'replica')} acknowledged it in time, and a failover to the other would lose it. Try again; when it stays so, look at the replicas`,
    );
    this.name = 'LockNotReplicated';
  }
}

/** A reader asked to write without giving up reading first. */
export class UpgradeRefused extends Error {
  readonly code = 'LOCK.UPGRADE';

  constructor(readonly key: string) {
    super(
      `${key}: this request is reading, and cannot write before it has stopped: it would wait for itself. Release the read lock, take the write lock, and read again`,
    );
    this.name = 'UpgradeRefused';
  }
}
