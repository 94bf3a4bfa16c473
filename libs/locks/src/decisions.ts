import {
  BalanceTransaction,
  ChangeCancelled,
  SoldOut,
  UnknownBalance,
  valueAfter,
  type Change,
  type Written,
} from '#lab/balance';
import type { DataSource, EntityManager } from 'typeorm';

/** The outcome of a change. */
export type Decision =
  | { readonly outcome: 'APPLIED'; readonly before: number; readonly after: number }
  | { readonly outcome: 'WITHDRAWN' | SoldOut['code'] | UnknownBalance['code'] };

/**
 * Changes that are decided once per ticket, whatever the number of attempts. The transaction of the change inserts the
 * ticket's row first, so that another transaction with the same ticket waits for it and then reads its outcome.
 */
export class Decisions {
  constructor(private readonly dataSource: DataSource) {}

  /** Makes the change unless the ticket is decided; returns the decision. A cancelled change is decided as withdrawn. */
  async decide(ticket: string, change: Change, work: () => Promise<void>): Promise<Decision> {
    try {
      return await this.make(ticket, { ...change, dedupKey: dedupKeyOf(ticket, change) }, work);
    } catch (error) {
      if (error instanceof ChangeCancelled) return this.withdraw(ticket, change);
      throw error;
    }
  }

  /** Withdraws the change, so that it can never be made, unless the ticket is decided; returns the decision. */
  async withdraw(ticket: string, change: Change): Promise<Decision> {
    const isWithdrawn = await claim(this.dataSource, ticket, change, 'WITHDRAWN');
    return isWithdrawn ? { outcome: 'WITHDRAWN' } : readDecision(this.dataSource, ticket, change);
  }

  async deleteAll(balance: string): Promise<void> {
    await this.dataSource.query('DELETE FROM decision WHERE balance = ?', [balance]);
  }

  private make(ticket: string, change: Change, work: () => Promise<void>): Promise<Decision> {
    return this.dataSource.transaction(async (sql) => {
      if (!(await claim(sql, ticket, change, 'APPLIED'))) return readDecision(sql, ticket, change);
      try {
        const tx = new BalanceTransaction(sql);
        const before = await tx.readForUpdate(change.balance);
        const after = valueAfter(change, before);
        await work();
        await tx.write(change, before, after);
        return { outcome: 'APPLIED', before, after };
      } catch (error) {
        if (!(error instanceof SoldOut || error instanceof UnknownBalance)) throw error;
        await sql.query('UPDATE decision SET outcome = ? WHERE ticket = ?', [error.code, ticket]);
        return { outcome: error.code };
      }
    });
  }
}

/** The key that finds the movement: the request id would not do, because it need not be unique. */
const dedupKeyOf = (ticket: string, { dedupKey }: Change): string => dedupKey ?? ticket;

type Sql = Pick<EntityManager, 'query'>;

/** Inserts the ticket's row; false when the ticket is decided. Waits while another transaction has inserted it. */
async function claim(
  sql: Sql,
  ticket: string,
  { balance, request }: Change,
  outcome: Decision['outcome'],
): Promise<boolean> {
  const { affectedRows } = await sql.query<Written>(
    'INSERT IGNORE INTO decision (ticket, balance, request, outcome) VALUES (?, ?, ?, ?)',
    [ticket, balance, request, outcome],
  );
  return affectedRows === 1;
}

async function readDecision(sql: Sql, ticket: string, change: Change): Promise<Decision> {
  const [row] = await sql.query<Decision[]>(
    `SELECT outcome, value_before AS \`before\`, value_after AS \`after\`
       FROM decision LEFT JOIN movement ON movement.once = ? WHERE ticket = ?`,
    [dedupKeyOf(ticket, change), ticket],
  );
  if (row === undefined)
    throw new Error(`the decision on ticket ${ticket} was deleted by a reset of its balance. Try again`);
  return row;
}
