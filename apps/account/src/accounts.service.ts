import { Ledger, WHOLE_AMOUNT } from '#lab/balance';
import { SteppedDataSource } from '#lab/step';
import { Injectable } from '@nestjs/common';
import { balanceOf, UnknownAccount } from './account-errors';

/** An account with its totals, read consistently. Amounts are in the smallest unit of the currency. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly balanceMinor: number;
  /** The balance at the last reset. */
  readonly openingMinor: number;
  readonly entries: number;
  /** Sum of the entries since the last reset. */
  readonly entriesMinor: number;
  /** True when the balance equals the opening balance plus the entries. */
  readonly agrees: boolean;
}

/** An entry as recorded. */
export interface EntryRow {
  /** Number of the row, in the order of the inserts. */
  readonly number: number;
  /** Id of the request, line or pending entry that made it; an entry that changed several segments has several rows. */
  readonly entry: string;
  readonly amountMinor: number;
  /** The balance that the request read: a lost update shows here. */
  readonly beforeMinor: number;
  readonly afterMinor: number;
  readonly segment: number | null;
  readonly text: string | null;
  readonly strategy: string;
  readonly replica: string;
  /** UTC, ISO 8601. */
  readonly at: string;
}

const ACCOUNTS = `
  SELECT account.id, account.name, ${WHOLE_AMOUNT} AS balanceMinor, balance.initial AS openingMinor,
         COUNT(movement.id) AS entries, CAST(COALESCE(SUM(movement.delta), 0) AS SIGNED) AS entriesMinor
    FROM account
    JOIN balance ON balance.id = CONCAT('account:', account.id)
    LEFT JOIN movement ON movement.balance = balance.id`;
const EACH = 'GROUP BY account.id, account.name, balance.id, balance.amount, balance.initial';

@Injectable()
export class AccountsService {
  constructor(
    private readonly dataSource: SteppedDataSource,
    private readonly ledger: Ledger,
  ) {}

  list(): Promise<Account[]> {
    return this.query(`${EACH} ORDER BY account.id LIMIT 1000`);
  }

  /** Throws `UnknownAccount`. */
  async find(id: string): Promise<Account> {
    const [account] = await this.query(`WHERE account.id = ? ${EACH}`, id);
    if (account === undefined) throw new UnknownAccount(id);
    return account;
  }

  /** Throws `UnknownAccount`. Cheaper than `find`. */
  async assertKnown(id: string): Promise<void> {
    const rows = await this.dataSource.query<unknown[]>('SELECT 1 FROM account WHERE id = ?', [id]);
    if (rows.length === 0) throw new UnknownAccount(id);
  }

  async entries(id: string, { after, limit }: { after: number; limit: number }): Promise<EntryRow[]> {
    await this.assertKnown(id);
    const rows = await this.dataSource.query<(Omit<EntryRow, 'at'> & { at: Date })[]>(
      `SELECT movement.id AS number, movement.request AS entry, delta AS amountMinor, value_before AS beforeMinor,
              value_after AS afterMinor, segment, text, strategy, replica, at
         FROM movement LEFT JOIN entry_text ON entry_text.account = ? AND entry_text.request = movement.request
        WHERE movement.balance = ? AND movement.id > ? ORDER BY movement.id LIMIT ?`,
      [id, balanceOf(id), after, limit],
    );
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
  }

  /** Resets the balance and deletes all entries, pending entries and imports; creates the account if needed. */
  async reset(id: string, balanceMinor: number): Promise<void> {
    for (const table of ['pending_entry', 'import_batch', 'import_line', 'entry_text'])
      await this.dataSource.query(`DELETE FROM ${table} WHERE account = ?`, [id]);
    await this.ledger.reset(balanceOf(id), balanceMinor);
    await this.dataSource.query('INSERT IGNORE INTO account (id, name) VALUES (?, ?)', [id, id]);
  }

  private async query(rest: string, ...parameters: string[]): Promise<Account[]> {
    const rows = await this.dataSource.query<Omit<Account, 'agrees'>[]>(`${ACCOUNTS} ${rest}`, parameters);
    return rows.map((row) => ({
      ...row,
      agrees: row.balanceMinor === row.openingMinor + row.entriesMinor,
    }));
  }
}
