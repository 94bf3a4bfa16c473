import { SteppedDataSource } from '#lab/step';
import { Inject, Injectable } from '@nestjs/common';
import { AccountsService } from './accounts.service';
import type { EntryRequest } from './schemas';

/** An entry that the scan settles. */
export interface PendingRow {
  readonly number: number;
  /** The id that its entry has or will have. */
  readonly entry: string;
  readonly amountMinor: number;
  readonly text: string | null;
  readonly state: 'pending' | 'settled' | 'refused';
  /** Why it was refused, or is pending still. */
  readonly code: string | null;
  /** UTC, ISO 8601. */
  readonly at: string;
}

/** A pending entry that is ours to settle until `until`. */
export interface Claimed {
  readonly number: number;
  readonly account: string;
  readonly amountMinor: number;
  readonly text: string | null;
  /** Somebody has had it before us, and perhaps died over it. */
  readonly hadBefore: boolean;
}

type Written = { readonly affectedRows: number; readonly insertId: number };

/** No request that comes from outside has a colon in its id. */
export const entryOf = (number: number): string => `pending:${number}`;

const ROWS = `SELECT id AS number, CONCAT('pending:', id) AS entry, amount_minor AS amountMinor, text, state, code, at
                FROM pending_entry`;

@Injectable()
export class PendingEntries {
  constructor(
    @Inject(SteppedDataSource) private readonly dataSource: SteppedDataSource,
    @Inject(AccountsService) private readonly accounts: AccountsService,
  ) {}

  /** Throws `UnknownAccount`. */
  async add(account: string, { amountMinor, text }: EntryRequest): Promise<PendingRow> {
    await this.accounts.assertKnown(account);
    const { insertId } = await this.dataSource.query<Written>(
      'INSERT INTO pending_entry (account, amount_minor, text) VALUES (?, ?, ?)',
      [account, amountMinor, text ?? null],
    );
    const [row] = await this.rows('WHERE id = ?', [insertId]);
    if (row === undefined)
      throw new Error('the entry was forgotten while it was handed in: its account was reset');
    return row;
  }

  async list(account: string, { after, limit }: { after: number; limit: number }): Promise<PendingRow[]> {
    await this.accounts.assertKnown(account);
    return this.rows('WHERE account = ? AND id > ? ORDER BY id LIMIT ?', [account, after, limit]);
  }

  /** Those that nobody settles now, oldest first. */
  free(limit: number): Promise<{ number: number; claimedBy: string | null }[]> {
    return this.dataSource.query(
      `SELECT id AS number, claimed_by AS claimedBy FROM pending_entry
        WHERE state = 'pending' AND (claimed_until IS NULL OR claimed_until <= NOW(6)) ORDER BY id LIMIT ?`,
      [limit],
    );
  }

  /** One of several replicas that want it gets it; undefined: another one, or it was settled. */
  async claim(number: number, replica: string, ms: number, hadBefore: boolean): Promise<Claimed | undefined> {
    const { affectedRows } = await this.dataSource.query<Written>(
      `UPDATE pending_entry SET claimed_by = ?, claimed_until = NOW(6) + INTERVAL ? MICROSECOND
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

  /** Its entry is there. */
  async settle(number: number): Promise<void> {
    await this.dataSource.query("UPDATE pending_entry SET state = 'settled', code = NULL WHERE id = ?", [
      number,
    ]);
  }

  /** It will have no entry. */
  async refuse(number: number, code: string): Promise<void> {
    await this.dataSource.query("UPDATE pending_entry SET state = 'refused', code = ? WHERE id = ?", [
      code,
      number,
    ]);
  }

  /** Another scan may try. `code`: why this one has not succeeded. */
  async giveBack(number: number, code: string): Promise<void> {
    await this.dataSource.query(
      "UPDATE pending_entry SET claimed_until = NULL, code = ? WHERE id = ? AND state = 'pending'",
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
