import type { DataSource, EntityManager } from 'typeorm';
import { ChangeCancelled, SoldOut, UnknownBalance, valueAfter, type Change } from './change';
import { BalanceTransaction, type Written } from './transaction';

/** What became of a change. */
export type Decision =
  | { readonly outcome: 'APPLIED'; readonly before: number; readonly after: number }
  | { readonly outcome: 'WITHDRAWN' | SoldOut['code'] | UnknownBalance['code'] };

/**
 * Changes that are decided on once, however many try to, and however often. The ticket's row is there first, in the
 * transaction of the change: whoever comes with the same ticket waits for it, and then reads what it says.
 */
export class Decisions {
  constructor(private readonly dataSource: DataSource) {}

  /** Makes the change if nobody has decided on the ticket, else says how it was decided. One that is closed is withdrawn. */
  async decide(ticket: string, change: Change, work: () => Promise<void>): Promise<Decision> {
    try {
      return await this.make(ticket, { ...change, dedupKey: dedupKeyOf(ticket, change) }, work);
    } catch (error) {
      if (error instanceof ChangeCancelled) return this.withdraw(ticket, change);
      throw error;
    }
  }

  /** Nobody will make the change any more, unless it was decided on before. */
  async withdraw(ticket: string, change: Change): Promise<Decision> {
    const isWithdrawn = await claim(this.dataSource, ticket, change, 'WITHDRAWN');
    return isWithdrawn ? { outcome: 'WITHDRAWN' } : known(this.dataSource, ticket, change);
  }

  private make(ticket: string, change: Change, work: () => Promise<void>): Promise<Decision> {
    return this.dataSource.transaction(async (sql) => {
      if (!(await claim(sql, ticket, change, 'APPLIED'))) return known(sql, ticket, change);
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

/** Its movement is found by this: a request id may have been used by several. */
const dedupKeyOf = (ticket: string, { dedupKey }: Change): string => dedupKey ?? ticket;

type Sql = Pick<EntityManager, 'query'>;

/** True when the ticket is ours; false when it was decided on. Waits while another transaction has it. */
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

async function known(sql: Sql, ticket: string, change: Change): Promise<Decision> {
  const [row] = await sql.query<Decision[]>(
    `SELECT outcome, value_before AS \`before\`, value_after AS \`after\`
       FROM decision LEFT JOIN movement ON movement.once = ? WHERE ticket = ?`,
    [dedupKeyOf(ticket, change), ticket],
  );
  if (row === undefined) throw new Error(`the decision on ${ticket} is gone: its balance was reset`);
  return row;
}
