import { Balances } from '#lab/balance';
import { SteppedDataSource } from '#lab/step';
import { Inject, Injectable } from '@nestjs/common';
import type { ImportLine } from './lines';

/** Whose batch it is, and what it is called. */
export interface BatchId {
  readonly account: string;
  readonly batch: string;
}

/** A line as it was handed in. */
export interface LineRow {
  readonly line: number;
  readonly amountMinor: number | null;
  readonly text: string | null;
  /** Why it cannot be entered. */
  readonly error: string | null;
}

/** Batches that were handed in. The lines of one come first, its row last: without that they are a torso. */
@Injectable()
export class Batches {
  constructor(
    @Inject(SteppedDataSource) private readonly dataSource: SteppedDataSource,
    @Inject(Balances) private readonly balances: Balances,
  ) {}

  /**
   * Keeps everybody else from this batch until the returned function is called, or this process dies: a lock of the
   * database session. Undefined when somebody else has it.
   */
  async hold({ account, batch }: BatchId): Promise<(() => Promise<void>) | undefined> {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    return new Promise((resolve, reject) => {
      const over = this.balances.underNamedLock(`import ${account} ${batch}`, 0, async () => {
        resolve(async () => {
          letGo();
          await over.catch(() => undefined);
        });
        await held;
        return true;
      });
      over.then((wasOurs) => {
        if (wasOurs === undefined) resolve(undefined);
      }, reject);
    });
  }

  /** Hash of what was sent; undefined when the batch is not there, or not all of it. */
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

  /** All its lines are there. */
  async complete({ account, batch }: BatchId, digest: string): Promise<void> {
    await this.dataSource.query('INSERT INTO import_batch (account, batch, digest) VALUES (?, ?, ?)', [
      account,
      batch,
      digest,
    ]);
  }

  /** Forgets the lines of a batch that is not complete. */
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
