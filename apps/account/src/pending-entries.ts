import { SteppedDataSource } from '#lab/step';
import { Injectable } from '@nestjs/common';
import { AccountsService } from './accounts.service';
import type { EntryRequest } from './schemas';

/** An entry that the scan settles. */
export interface PendingRow {
  readonly number: number;
  /** Id of its entry, which may not exist yet. */
  readonly entry: string;
  readonly amountMinor: number;
  readonly text: string | null;
  readonly state: 'pending' | 'settled' | 'refused';
  /** Stable code of the refusal, or of the last failed attempt. */
  readonly code: string | null;
  /** UTC, ISO 8601. */
  readonly at: string;
}

/** A pending entry that this replica has claimed. */
export interface Claimed {
  readonly number: number;
  readonly account: string;
  readonly amountMinor: number;
  readonly text: string | null;
  /** It was claimed before, perhaps by a replica that died after the movement. */
  readonly hadBefore: boolean;
}

type Written = { readonly affectedRows: number; readonly insertId: number };

/** Id of the entry. Unique, because the ids of client requests contain no colon. */
export const entryOf = (number: number): string => `pending:${number}`;

const ROWS = `SELECT id AS number, CONCAT('pending:', id) AS entry, amount_minor AS amountMinor, text, state, code, at
                FROM pending_entry`;

@Injectable()
export class PendingEntries {
  constructor(
    private readonly dataSource: SteppedDataSource,
    private readonly accounts: AccountsService,
  ) {}

  /** Throws `UnknownAccount`. */
  async add(account: string, { amountMinor, text }: EntryRequest): Promise<PendingRow> {
    await this.accounts.assertKnown(account);
    const { insertId } = await this.dataSource.query<Written>(
      'INSERT INTO pending_entry (account, amount_minor, text) VALUES (?, ?, ?)',
      [account, amountMinor, text ?? null],
    );
    const [row] = await this.rows('WHERE id = ?', [insertId]);
    if (row === undefined) throw new Error('the entry was deleted by a reset of its account: add it again');
    return row;
  }

  async list(account: string, { after, limit }: { after: number; limit: number }): Promise<PendingRow[]> {
    await this.accounts.assertKnown(account);
    return this.rows('WHERE account = ? AND id > ? ORDER BY id LIMIT ?', [account, after, limit]);
  }

  /** At most `limit` pending entries without a valid claim, oldest first. */
  free(limit: number): Promise<{ number: number; claimedBy: string | null }[]> {
    return this.dataSource.query(
      `SELECT id AS number, claimed_by AS claimedBy FROM pending_entry
        WHERE state = 'pending' AND (claimed_until IS NULL OR claimed_until <= NOW(6)) ORDER BY id LIMIT ?`,
      [limit],
    );
  }

  /**
   * Claims the entry for `ms`. Undefined: another replica has claimed it first, or it was settled. Found by its id: by the index of
   * `state` the statement would lock that index before the row, and deadlock with the one that settles the entry.
   */
  async claim(number: number, replica: string, ms: number, hadBefore: boolean): Promise<Claimed | undefined> {
    const { affectedRows } = await this.dataSource.query<Written>(
      `UPDATE pending_entry FORCE INDEX (PRIMARY) SET claimed_by = ?, claimed_until = NOW(6) + INTERVAL ? MICROSECOND
        WHERE id = ? AND state = 'pending' AND (claimed_until IS NULL OR claimed_until <= NOW(6))`,
      [replica, 1000 * ms, number],
    );
    if (affectedRows === 0) return undefined;
    const [row] = await this.dataSource.query<Omit<Claimed, 'hadBefore'>[]>(
      'SELECT id AS number, account, amount_minor AS amountMinor, text FROM pending_entry WHERE id = ?',
      [number],
    );
    return row === undefined ? undefined : { ...row, hadBefore };
  }

  /** Marks it as settled: its entry exists. */
  async settle(number: number): Promise<void> {
    await this.dataSource.query("UPDATE pending_entry SET state = 'settled', code = NULL WHERE id = ?", [
      number,
    ]);
  }

  /** Marks it as refused: it will have no entry. */
  async refuse(number: number, code: string): Promise<void> {
    await this.dataSource.query("UPDATE pending_entry SET state = 'refused', code = ? WHERE id = ?", [
      code,
      number,
    ]);
  }

  /** Ends the claim, so that another scan may try. `code`: why this one failed. */
  async giveBack(number: number, code: string): Promise<void> {
    await this.dataSource.query(
      "UPDATE pending_entry FORCE INDEX (PRIMARY) SET claimed_until = NULL, code = ? WHERE id = ? AND state = 'pending'",
      [code, number],
    );
  }

  private async rows(rest: string, parameters: readonly unknown[]): Promise<PendingRow[]> {
    const rows = await this.dataSource.query<(Omit<PendingRow, 'at'> & { at: Date })[]>(`${ROWS} ${rest}`, [
      ...parameters,
    ]);
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
  }
}
