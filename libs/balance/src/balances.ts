import type { DataSource } from 'typeorm';
import { FencedOff, type Change, type Fence, type Movement } from './change';
import { Cancellations } from './cancellations';
import { Decisions } from './decisions';
import { LockRows } from './lock-rows';
import { underNamedLock, type NamedSession } from './named-lock';
import { Segments } from './segments';
import { BalanceTransaction, type Written } from './transaction';

/**
 * The balances of one database schema. A write and its movement always share one transaction: a request that dies
 * in between leaves neither.
 */
export class Balances {
  readonly lockRows: LockRows;
  readonly decisions: Decisions;
  readonly cancellations: Cancellations;
  readonly segments: Segments;

  constructor(private readonly dataSource: DataSource) {
    this.lockRows = new LockRows(dataSource);
    this.decisions = new Decisions(dataSource);
    this.cancellations = new Cancellations(dataSource);
    this.segments = new Segments(dataSource);
  }

  /** Runs `body` in a transaction of its own: COMMIT when it returns, ROLLBACK when it throws. */
  transaction<T>(body: (tx: BalanceTransaction) => Promise<T>): Promise<T> {
    return this.dataSource.transaction((manager) => body(new BalanceTransaction(manager)));
  }

  /** Runs `section` under GET_LOCK(name), on the connection that holds it; undefined when it was not obtained. */
  underNamedLock<T>(
    name: string,
    waitMs: number,
    section: (session: NamedSession) => Promise<T>,
  ): Promise<T | undefined> {
    return underNamedLock(this.dataSource, name, waitMs, section);
  }

  /** The value now, locking nothing. */
  read(balance: string): Promise<number> {
    return new BalanceTransaction(this.dataSource).read(balance);
  }

  /** Those of the operations (`Change.operation`) that have changed the balance. */
  async operationsWithMovement(balance: string, operations: readonly string[]): Promise<ReadonlySet<string>> {
    if (operations.length === 0) return new Set();
    const rows = await this.dataSource.query<{ operation: string }[]>(
      'SELECT operation FROM movement WHERE balance = ? AND operation IN (?)',
      [balance, operations],
    );
    return new Set(rows.map(({ operation }) => operation));
  }

  /** Those of the requests that have changed the balance. Not for ids that a client chooses: it may choose one twice. */
  async requestsWithMovement(balance: string, requests: readonly string[]): Promise<ReadonlySet<string>> {
    if (requests.length === 0) return new Set();
    const rows = await this.dataSource.query<{ request: string }[]>(
      'SELECT request FROM movement WHERE balance = ? AND request IN (?)',
      [balance, requests],
    );
    return new Set(rows.map(({ request }) => request));
  }

  /** Sets the value to what the request computed, whatever it is now. */
  write(change: Change, before: number, after: number): Promise<Movement> {
    return this.transaction((tx) => tx.write(change, before, after));
  }

  /** Changes the value in one statement if enough is left, else throws `SoldOut`. */
  writeIfEnough(change: Change): Promise<Movement> {
    return this.transaction((tx) => tx.writeIfEnough(change));
  }

  /**
   * Shows the row our token: from now on it refuses every older one. Asking again with the same token is no mistake: the
   * first answer may have been lost. Throws `FencedOff` when the row has seen a newer one, or ours from another holder.
   */
  async registerToken(change: Change, { token, holder }: Fence): Promise<void> {
    const { balance } = change;
    const { affectedRows } = await this.dataSource.query<Written>(
      'UPDATE balance SET fence = ?, holder = ? WHERE id = ? AND (fence < ? OR (fence = ? AND holder = ?))',
      [token, holder, balance, token, token, holder],
    );
    if (affectedRows > 0) return;
    await this.read(balance); // a balance that does not exist is refused as such
    throw new FencedOff(change, token);
  }

  /** Sets the value if the row has seen no newer token than ours, else throws `FencedOff`. */
  writeFenced(change: Change, fence: Fence, before: number, after: number): Promise<Movement> {
    return this.transaction((tx) => tx.writeFenced(change, fence, before, after));
  }

  /** Sets the value if the token that was registered last is ours, else throws `FencedOff`. */
  writeRegistered(change: Change, fence: Fence, before: number, after: number): Promise<Movement> {
    return this.transaction((tx) => tx.writeRegistered(change, fence, before, after));
  }
}
