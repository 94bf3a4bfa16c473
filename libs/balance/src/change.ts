/** What a request wants to do to a balance. */
export interface Change {
  /** Which balance: a product's SKU. At most 64 characters. */
  readonly balance: string;
  /** Units to add; negative for a sale. */
  readonly delta: number;
  /** Trace id of the request, at most 64 characters. The client may choose it, and use it twice: nothing is decided by it. */
  readonly request: string;
  /** The replica that does it. */
  readonly replica: string;
  /** The strategy that protects it. */
  readonly strategy: string;
  /**
   * Names the change where it must be made once at most, whoever tries, and however late; at most 64 characters. The
   * second one to try is refused with `ChangeCancelled`.
   */
  readonly dedupKey?: string;
  /**
   * Id of this one operation, at most 64 characters: made by a strategy that keeps units outside of the database, which
   * finds its own movement by it.
   */
  readonly operation?: string;
}

/** What a lock's holder shows to the row that it writes. Both are made by the lock, not by the client. */
export interface Fence {
  /** Greater than that of every holder before; may repeat when the counter is lost. */
  readonly token: number;
  /** Belongs to no other holder, at most 64 characters: tells apart two that have the same token. */
  readonly holder: string;
}

/** One recorded change of a balance. `before` and `after` are what the request believed, which is the point. */
export interface Movement extends Change {
  readonly before: number;
  readonly after: number;
}

/** There is not enough left: an answer, not a failure. */
export class SoldOut extends Error {
  readonly code = 'STOCK.SOLD_OUT';

  constructor(
    readonly change: Change,
    /** What was left, where the strategy has read it. */
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

/** The balance's row has nothing to sell: all of it is in its segments. */
export class StockIsSplit extends Error {
  readonly code = 'STOCK.SPLIT';

  constructor(readonly balance: string) {
    super(
      `the stock of ${balance} is split over segments: sell it by strategy=segmented, or set it anew (POST /lab/reset)`,
    );
    this.name = 'StockIsSplit';
  }
}

/** The row was changed since it was read: nothing was written. */
export class Conflict extends Error {
  readonly code = 'SQL.CONFLICT';

  constructor(readonly change: Change) {
    super(`${change.balance} was changed by somebody else meanwhile: nothing was sold. Try again`);
    this.name = 'Conflict';
  }
}

/** The change was made before, or given up for good (`Cancellations`). Nothing was written. */
export class ChangeCancelled extends Error {
  readonly code = 'CHANGE.CLOSED';

  constructor(readonly change: Change) {
    super(
      `the change ${change.dedupKey ?? ''} of ${change.balance} was made before, or given up: nothing was changed now`,
    );
    this.name = 'ChangeClosed';
  }
}

/** The row has seen a newer token than ours: somebody took the lock after us. Nothing was written. */
export class FencedOff extends Error {
  readonly code = 'LOCK.FENCED';

  constructor(
    readonly change: Change,
    readonly token: number,
  ) {
    super(
      `${change.balance} has seen a newer token than ${token}: the lock has had another holder since, and nothing was sold. Try again`,
    );
    this.name = 'FencedOff';
  }
}

/** The value after `change`, or `SoldOut` when that would be below zero. */
export function valueAfter(change: Change, before: number): number {
  const after = before + change.delta;
  if (after < 0) throw new SoldOut(change, before);
  return after;
}
