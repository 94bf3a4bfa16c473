import { ChangeCancelled, type Change, type Movement } from '#lab/balance';
import { Toolbox } from '#lab/host';
import { RequestRecorder, type Chosen } from '#lab/http';
import { SteppedDataSource, type Fault } from '#lab/step';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { AlreadyEntered, balanceOf, inAccountWords, OtherEntry } from './account-errors';

/** One change of an account. */
export interface Entry {
  readonly account: string;
  readonly amountMinor: number;
  readonly text?: string | null | undefined;
  /**
   * Its id: an account has one entry of each. It is the client's name for the entry, as an Idempotency-Key is, and no more:
   * another entry under the same id is refused, and no lock or count of a strategy relies on it.
   */
  readonly request: string;
}

/** What else happens in the request of an entry. */
export interface EntryHooks {
  /** Belongs to the request: its steps are recorded, and faults hit them. */
  readonly andThen?: (movement: Movement) => Promise<void>;
  /** Called before a fault fires. */
  readonly onFault?: (fault: Fault) => void;
}

/** Enters changes by the strategy that was chosen: the one way into a balance, for requests, imports and the scan. */
@Injectable()
export class EntriesService {
  constructor(
    @Inject(Toolbox) private readonly toolbox: Toolbox,
    @Inject(RequestRecorder) private readonly requests: RequestRecorder,
    @Inject(SteppedDataSource) private readonly dataSource: SteppedDataSource,
  ) {}

  /**
   * Throws `AlreadyEntered` when the account has this entry, `OtherEntry` when its id was used for another one,
   * `ACCOUNT.INSUFFICIENT_FUNDS`, `ACCOUNT.UNKNOWN`, or what the strategy does.
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
    const isNew = text != null && (await this.noteText(account, request, text));
    try {
      return await this.requests.record(
        begin,
        faults,
        async () => {
          const movement = await strategy
            .apply(change, this.toolbox.tools(request, options))
            .catch(async (error: unknown) => {
              throw error instanceof ChangeCancelled
                ? await this.enteredBefore(change)
                : inAccountWords(error);
            });
          await andThen?.(movement);
          return movement;
        },
        onFault,
      );
    } catch (error) {
      if (isNew && !(error instanceof AlreadyEntered)) await this.forgetText(account, request);
      throw error;
    }
  }

  /** Compares what was entered under this id with what is to be entered now. */
  private async enteredBefore(change: Change): Promise<AlreadyEntered | OtherEntry> {
    const { dedupKey, delta } = change;
    const [entered] = await this.dataSource.query<{ amountMinor: number | null }[]>(
      'SELECT CAST(SUM(delta) AS SIGNED) AS amountMinor FROM movement WHERE once = ?', // of all segments
      [dedupKey],
    );
    const amountMinor = entered?.amountMinor ?? delta;
    return amountMinor === delta ? new AlreadyEntered(change) : new OtherEntry(change, amountMinor);
  }

  /** Before the entry: one that is there keeps its text, or has none. True when the text is a new one. */
  private async noteText(account: string, request: string, text: string): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<{ affectedRows: number }>(
      `INSERT IGNORE INTO entry_text (account, request, text) SELECT ?, ?, ? FROM DUAL
        WHERE NOT EXISTS (SELECT 1 FROM movement WHERE balance = ? AND movement.request = ?)`,
      [account, request, text, balanceOf(account), request],
    );
    return affectedRows === 1;
  }

  /** Of an entry that was refused; where its outcome is not known, the text stays for the entry that may be there. */
  private async forgetText(account: string, request: string): Promise<void> {
    await this.dataSource
      .query(
        `DELETE FROM entry_text WHERE account = ? AND request = ?
            AND NOT EXISTS (SELECT 1 FROM movement WHERE balance = ? AND movement.request = entry_text.request)`,
        [account, request, balanceOf(account)],
      )
      .catch(() => undefined); // a text without an entry is shown to nobody
  }
}

/** The database lets an entry of this name in once, in the transaction that changes the balance, whoever tries again. */
const dedupKeyOf = (balance: string, request: string): string =>
  createHash('sha256').update(`${balance} ${request}`).digest('hex');
