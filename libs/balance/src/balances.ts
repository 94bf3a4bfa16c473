import type { DataSource, EntityManager } from 'typeorm';
import { FencedOff, type Change, type Fence, type Movement } from './change';
import { Cancellations } from './cancellations';
import { Segments } from './segments';
import { BalanceTransaction, type Written } from './transaction';

/**
 * The balances of one database schema. A write and its movement always share one transaction: a crash in between leaves
 * neither.
 */
export class Balances {
  readonly cancellations: Cancellations;
  readonly segments: Segments;

  constructor(
    private readonly dataSource: DataSource,
    private readonly isolation?: 'READ COMMITTED',
  ) {
    this.cancellations = new Cancellations(dataSource);
    this.segments = new Segments(dataSource);
  }

  /** The same balances; each statement of their transactions reads what is committed at that moment, without a snapshot. */
  readCommitted(): Balances {
    return new Balances(this.dataSource, 'READ COMMITTED');
  }

  /** Runs `body` in its own transaction: COMMIT when it returns, ROLLBACK when it throws. */
  transaction<T>(body: (tx: BalanceTransaction) => Promise<T>): Promise<T> {
    const run = (manager: EntityManager): Promise<T> => body(new BalanceTransaction(manager));
    return this.isolation === undefined
      ? this.dataSource.transaction(run)
      : this.dataSource.transaction(this.isolation, run);
  }

  /** The current value, read without a lock. */
  read(balance: string): Promise<number> {
    return new BalanceTransaction(this.dataSource).read(balance);
  }

  /** The subset of `operations` (`Change.operation`) that have a movement of the balance. */
  async operationsWithMovement(balance: string, operations: readonly string[]): Promise<ReadonlySet<string>> {
    if (operations.length === 0) return new Set();
    const rows = await this.dataSource.query<{ operation: string }[]>(
      'SELECT operation FROM movement WHERE balance = ? AND operation IN (?)',
      [balance, operations],
    );
    return new Set(rows.map(({ operation }) => operation));
  }

  /**
   * The subset of `requests` that have a movement of the balance. Not for ids chosen by clients: they need not be
   * unique.
   */
  async requestsWithMovement(balance: string, requests: readonly string[]): Promise<ReadonlySet<string>> {
    if (requests.length === 0) return new Set();
    const rows = await this.dataSource.query<{ request: string }[]>(
      'SELECT request FROM movement WHERE balance = ? AND request IN (?)',
      [balance, requests],
    );
    return new Set(rows.map(({ request }) => request));
  }

  /** Sets the value to `after`, whatever it is now. */
  write(change: Change, before: number, after: number): Promise<Movement> {
    return this.transaction((tx) => tx.write(change, before, after));
  }

  /** Changes the value in one statement if enough is left; throws `SoldOut` otherwise. */
  writeIfEnough(change: Change): Promise<Movement> {
    return this.transaction((tx) => tx.writeIfEnough(change));
  }

  /**
   * Registers our token in the row, which from then on refuses every older one. May be repeated with the same token and
   * holder, because the first reply may have been lost. Throws `FencedOff` when the row has a newer token, or the same one
   * from another holder.
   */
  async registerToken(change: Change, { token, owner }: Fence): Promise<void> {
    const { balance } = change;
    const { affectedRows } = await this.dataSource.query<Written>(
      'UPDATE balance SET fence = ?, holder = ? WHERE id = ? AND (fence < ? OR (fence = ? AND holder = ?))',
      [token, owner, balance, token, token, owner],
    );
    if (affectedRows > 0) return;
    await this.read(balance); // throws UnknownBalance if there is no such balance
    throw new FencedOff(change, token);
  }

  /** Sets the value if the row has only seen older tokens than ours; throws `FencedOff` otherwise. */
  writeFenced(change: Change, fence: Fence, before: number, after: number): Promise<Movement> {
    return this.transaction((tx) => tx.writeFenced(change, fence, before, after));
  }

  /** Sets the value if our token is the last registered one; throws `FencedOff` otherwise. */
  writeRegistered(change: Change, fence: Fence, before: number, after: number): Promise<Movement> {
    return this.transaction((tx) => tx.writeRegistered(change, fence, before, after));
  }
}
