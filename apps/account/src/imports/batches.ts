import { SqlLocks } from '#lab/locks';
import { dropped, SteppedDataSource } from '#lab/step';
import { Injectable } from '@nestjs/common';
import type { ImportLine } from './lines';

/** A batch is identified by its account and its id. */
export interface BatchId {
  readonly account: string;
  readonly batch: string;
}

/** A stored line of a batch. */
export interface LineRow {
  readonly line: number;
  readonly amountMinor: number | null;
  readonly text: string | null;
  /** Why it cannot be entered. */
  readonly error: string | null;
}

/** Stored batches. The lines of a batch are written first, its row last: without the row, the batch is incomplete. */
@Injectable()
export class Batches {
  constructor(
    private readonly dataSource: SteppedDataSource,
    private readonly sqlLocks: SqlLocks,
  ) {}

  /**
   * Locks the batch until the returned function is called or this process dies: a lock of the database session. Undefined
   * when another import holds it.
   */
  async hold({ account, batch }: BatchId): Promise<(() => Promise<void>) | undefined> {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    return new Promise((resolve, reject) => {
      const section = this.sqlLocks.underNamedLock(`import ${account} ${batch}`, 0, async () => {
        resolve(async () => {
          release();
          await section.catch(dropped('the release of a batch'));
        });
        await released;
        return true;
      });
      section.then((wasHeld) => {
        if (wasHeld === undefined) resolve(undefined);
      }, reject);
    });
  }

  /** SHA-256 of the batch as sent; undefined: there is no complete batch of this id. */
  async digestOf({ account, batch }: BatchId): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ digest: string }[]>(
      'SELECT digest FROM import_batch WHERE account = ? AND batch = ?',
      [account, batch],
    );
    return row?.digest;
  }

  async addLines({ account, batch }: BatchId, lines: readonly ImportLine[]): Promise<void> {
    if (lines.length === 0) return;
    const rows = lines.map((line) => {
      const { amountMinor = null, text = null } = 'wanted' in line ? line.wanted : {};
      return [account, batch, line.line, amountMinor, text, 'error' in line ? line.error : null];
    });
    await this.dataSource.query(
      'INSERT INTO import_line (account, batch, line, amount_minor, text, error) VALUES ?',
      [rows],
    );
  }

  /** Marks the batch as complete. */
  async complete({ account, batch }: BatchId, digest: string): Promise<void> {
    await this.dataSource.query('INSERT INTO import_batch (account, batch, digest) VALUES (?, ?, ?)', [
      account,
      batch,
      digest,
    ]);
  }

  /** Deletes the lines of an incomplete batch. */
  async forgetLines({ account, batch }: BatchId): Promise<void> {
    await this.dataSource.query('DELETE FROM import_line WHERE account = ? AND batch = ?', [account, batch]);
  }

  linesAfter({ account, batch }: BatchId, line: number, limit: number): Promise<LineRow[]> {
    return this.dataSource.query(
      `SELECT line, amount_minor AS amountMinor, text, error FROM import_line
        WHERE account = ? AND batch = ? AND line > ? ORDER BY line LIMIT ?`,
      [account, batch, line, limit],
    );
  }
}
