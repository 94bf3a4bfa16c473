/** A requested change of a balance. */
export interface Change {
  /** Id of the balance: a product's SKU, or `account:ID`. At most 64 characters. */
  readonly balance: string;
  /** Units to add; negative for a sale. */
  readonly delta: number;
  /**
   * Trace id of the request, at most 64 characters. The client may choose it and use it twice, so that no decision may
   * depend on it.
   */
  readonly request: string;
  /** The replica that makes the change. */
  readonly replica: string;
  /** The strategy that protects the change. */
  readonly strategy: string;
  /**
   * Deduplication key of a change that must be made at most once, at most 64 characters. The second attempt fails with
   * `ChangeCancelled`.
   */
  readonly dedupKey?: string;
  /**
   * Id of this one operation, at most 64 characters: a strategy that keeps units outside of the database generates it to
   * find its own movement.
   */
  readonly operation?: string;
}

/**
 * The fencing token that a lock's holder presents with its write. Both fields are made by the lock, not by the client.
 */
export interface Fence {
  /** Greater than the token of every earlier holder; may repeat when the counter is lost. */
  readonly token: number;
  /**
   * The owner token of the lock, at most 64 characters: distinguishes two holders with the same fencing token. The row
   * stores it in the column `holder`.
   */
  readonly owner: string;
}

/**
 * One recorded change of a balance. `before` and `after` are the values that the request assumed: a lost update shows
 * in them.
 */
export interface Movement extends Change {
  readonly before: number;
  readonly after: number;
}

/** There is not enough left: an expected answer, not a failure. The account app answers with `InsufficientFunds` instead. */
export class SoldOut extends Error {
  readonly code = 'STOCK.SOLD_OUT';

  constructor(
    readonly change: Change,
    /** The value that was left, if the strategy has read it. */
    readonly left?: number,
  ) {
    super(`${change.balance}: ${-change.delta} wanted, ${left ?? 'fewer'} left`);
    this.name = 'SoldOut';
  }
}

export class UnknownBalance extends Error {
  readonly code = 'STOCK.UNKNOWN_SKU';

  constructor(readonly balance: string) {
    super(`there is no balance "${balance}": GET /products lists them`);
    this.name = 'UnknownBalance';
  }
}

/** The amount is not in the balance's row but in its segments. */
export class StockIsSplit extends Error {
  readonly code = 'STOCK.SPLIT';

  constructor(readonly balance: string) {
    super(
      `the balance ${balance} is split over segments. Change it with strategy=segmented, or reset it (POST /lab/reset)`,
    );
    this.name = 'StockIsSplit';
  }
}

/** The row has changed since it was read. Nothing was written. */
export class Conflict extends Error {
  readonly code = 'SQL.CONFLICT';

  constructor(readonly change: Change) {
    super(`${change.balance} was changed by another request: this one changed nothing. Try again`);
    this.name = 'Conflict';
  }
}

/** The change was already made, or cancelled (`Cancellations`). Nothing was written. */
export class ChangeCancelled extends Error {
  readonly code = 'CHANGE.CLOSED';

  constructor(readonly change: Change) {
    super(
      `the change ${change.dedupKey ?? ''} of ${change.balance} was already made, or cancelled: this request changed nothing`,
    );
    this.name = 'ChangeCancelled';
  }
}

/** The row has seen a newer token than ours: the lock has a later holder. Nothing was written. */
export class FencedOff extends Error {
  readonly code = 'LOCK.FENCED';

  constructor(
    readonly change: Change,
    readonly token: number,
  ) {
    super(
      `${change.balance} has seen a newer token than ${token}: the lock has a later holder, and this request changed nothing. Try again`,
    );
    this.name = 'FencedOff';
  }
}

/** The value after `change`. Throws `SoldOut` when that would be below zero. */
export function valueAfter(change: Change, before: number): number {
  const after = before + change.delta;
  if (after < 0) throw new SoldOut(change, before);
  return after;
}
