import { ChangeCancelled, type Change, type Movement } from '#lab/balance';
import { Toolbox } from '#lab/host';
import { RequestRecorder, type Chosen } from '#lab/http';
import { dropped, SteppedDataSource, type Fault } from '#lab/step';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { AlreadyEntered, balanceOf, inAccountWords, OtherEntry } from './account-errors';

/** A requested change of an account. */
export interface Entry {
  readonly account: string;
  readonly amountMinor: number;
  readonly text?: string | null | undefined;
  /**
   * Id of the entry, unique per account. The client chooses it, like an Idempotency-Key: a different entry with the same id
   * is refused, and no lock or count of a strategy relies on it.
   */
  readonly request: string;
}

/** Hooks into the request of an entry. */
export interface EntryHooks {
  /** Called after the change, as part of the request: its steps are recorded, and faults apply to them. */
  readonly andThen?: (movement: Movement) => Promise<void>;
  /** Called before a fault fires. */
  readonly onFault?: (fault: Fault) => void;
}

/** Enters changes with the chosen strategy. Requests, imports and the scan all change balances through it. */
@Injectable()
export class EntriesService {
  constructor(
    private readonly toolbox: Toolbox,
    private readonly requests: RequestRecorder,
    private readonly dataSource: SteppedDataSource,
  ) {}

  /**
   * Throws `AlreadyEntered` when the account has this entry, `OtherEntry` when its id is used by another one,
   * `ACCOUNT.INSUFFICIENT_FUNDS`, `ACCOUNT.UNKNOWN`, or an error of the strategy.
   */
  async enter(
    { account, amountMinor, text, request }: Entry,
    { strategy, options }: Chosen,
    faults: readonly Fault[],
    { andThen, onFault }: EntryHooks = {},
  ): Promise<Movement> {
    const balance = balanceOf(account);
    const change: Change = {
      balance,
      delta: amountMinor,
      request,
      replica: this.toolbox.process.name,
      strategy: strategy.name,
      dedupKey: dedupKeyOf(balance, request),
    };
    const begin = { request, balance, delta: amountMinor, strategy: strategy.name, options };
    const isNewText = text != null && (await this.insertText(account, request, text));
    try {
      return await this.requests.record(
        begin,
        faults,
        async () => {
          const movement = await strategy
            .apply(change, this.toolbox.tools(request, options))
            .catch(async (error: unknown) => {
              throw error instanceof ChangeCancelled ? await this.duplicateOf(change) : inAccountWords(error);
            });
          await andThen?.(movement);
          return movement;
        },
        onFault,
      );
    } catch (error) {
      if (isNewText && !(error instanceof AlreadyEntered)) await this.deleteText(account, request);
      throw error;
    }
  }

  /** The error for a used id: compares the amount of the existing entry with that of `change`. */
  private async duplicateOf(change: Change): Promise<AlreadyEntered | OtherEntry> {
    const { dedupKey, delta } = change;
    const [existing] = await this.dataSource.query<{ amountMinor: number | null }[]>(
      'SELECT CAST(SUM(delta) AS SIGNED) AS amountMinor FROM movement WHERE once = ?', // of all segments
      [dedupKey],
    );
    const amountMinor = existing?.amountMinor ?? delta;
    return amountMinor === delta ? new AlreadyEntered(change) : new OtherEntry(change, amountMinor);
  }

  /** Inserts the text, before its entry is made. False when the entry or its text exists: neither is changed. */
  private async insertText(account: string, request: string, text: string): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<{ affectedRows: number }>(
      `INSERT IGNORE INTO entry_text (account, request, text) SELECT ?, ?, ? FROM DUAL
        WHERE NOT EXISTS (SELECT 1 FROM movement WHERE balance = ? AND movement.request = ?)`,
      [account, request, text, balanceOf(account), request],
    );
    return affectedRows === 1;
  }

  /** Deletes the text of a refused entry, unless the entry exists after all: the outcome of a request may be unknown. */
  private async deleteText(account: string, request: string): Promise<void> {
    await this.dataSource
      .query(
        `DELETE FROM entry_text WHERE account = ? AND request = ?
            AND NOT EXISTS (SELECT 1 FROM movement WHERE balance = ? AND movement.request = entry_text.request)`,
        [account, request, balanceOf(account)],
      )
      .catch(dropped('the removal of the text of an entry')); // a text without an entry is never shown
  }
}

/**
 * The database admits this key once, in the transaction that changes the balance, so that a retry cannot enter it
 * again.
 */
const dedupKeyOf = (balance: string, request: string): string =>
  createHash('sha256').update(`${balance} ${request}`).digest('hex');
