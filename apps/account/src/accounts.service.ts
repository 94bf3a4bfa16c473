import { Ledger, WHOLE_AMOUNT } from '#lab/balance';
import { SteppedDataSource } from '#lab/step';
import { Inject, Injectable } from '@nestjs/common';
import { balanceOf, UnknownAccount } from './account-errors';

/** An account and its books, all of one moment. Amounts in the smallest unit of the currency. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly balanceMinor: number;
  /** The balance at the last reset. */
  readonly openingMinor: number;
  readonly entries: number;
  /** Sum of the entries since then. */
  readonly entriesMinor: number;
  /** The balance is the opening balance and the entries. */
  readonly agrees: boolean;
}

/** An entry as recorded. */
export interface EntryRow {
  /** The order of the inserts. */
  readonly number: number;
  /** Id of the request, line or pending entry that made it; an entry that took from several segments has several rows. */
  readonly entry: string;
  readonly amountMinor: number;
  /** What the entry believed, which is the point. */
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
    @Inject(SteppedDataSource) private readonly dataSource: SteppedDataSource,
    @Inject(Ledger) private readonly ledger: Ledger,
  ) {}

  list(): Promise<Account[]> {
    return this.look(`${EACH} ORDER BY account.id LIMIT 1000`);
  }

  /** Throws `UnknownAccount`. */
  async find(id: string): Promise<Account> {
    const [account] = await this.look(`WHERE account.id = ? ${EACH}`, id);
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

  /** Sets the balance anew and forgets all entries, pending ones and imports; creates the account if need be. */
  async reset(id: string, balanceMinor: number): Promise<void> {
    for (const table of ['pending_entry', 'import_batch', 'import_line', 'entry_text'])
      await this.dataSource.query(`DELETE FROM ${table} WHERE account = ?`, [id]);
    await this.ledger.reset(balanceOf(id), balanceMinor);
    await this.dataSource.query('INSERT IGNORE INTO account (id, name) VALUES (?, ?)', [id, id]);
  }

  private async look(rest: string, ...parameters: string[]): Promise<Account[]> {
    const rows = await this.dataSource.query<Omit<Account, 'agrees'>[]>(`${ACCOUNTS} ${rest}`, parameters);
    return rows.map((row) => ({
      ...row,
      agrees: row.balanceMinor === row.openingMinor + row.entriesMinor,
    }));
  }
}
