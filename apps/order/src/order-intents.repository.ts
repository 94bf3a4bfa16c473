import { isDuplicate } from '#lab/balance';
import { SteppedDataSource } from '#lab/step';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OrdersRepository, type Order } from './orders.repository';
import type { StoredAnswer, StrategyChoice, OrderIntent, OrderIntentRow, OrderRequest } from './order-intent';

/** A row as the database returns it. */
interface Raw extends Pick<
  OrderIntentRow,
  'id' | 'attempt' | 'state' | 'request' | 'replica' | 'buyer' | 'strategy' | 'silentMs'
> {
  readonly idempotencyKey: string | null;
  readonly fingerprint: string | null;
  readonly chosen: string;
  readonly cart: string;
  readonly isCart: 0 | 1;
  readonly status: number | null;
  readonly answer: string | null;
}

const ROWS = `SELECT id, attempt, state, idempotency_key AS idempotencyKey, fingerprint, request, replica, buyer, strategy,
       chosen, cart, is_cart AS isCart, status, answer, TIMESTAMPDIFF(MICROSECOND, seen_at, NOW(6)) DIV 1000 AS silentMs
  FROM placement`;

/** How long a response is kept under its idempotency key. */
const KEEP_HOURS = 24;

/**
 * The order intents, in the table `placement`. Every update of a row names its attempt, so that an attempt that another
 * replica has taken over cannot change the row any more.
 */
@Injectable()
export class OrderIntentsRepository {
  constructor(
    private readonly dataSource: SteppedDataSource,
    private readonly orders: OrdersRepository,
  ) {}

  /** False when an intent with this idempotency key exists. */
  async insert(intent: OrderIntent): Promise<boolean> {
    const { id, attempt, keyed, request, replica, buyer, strategy, options, ignored } = intent;
    try {
      await this.dataSource.query(
        `INSERT INTO placement (id, attempt, state, idempotency_key, fingerprint, request, replica, buyer, strategy, chosen, cart, is_cart)
         VALUES (?, ?, 'placing', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          id,
          attempt,
          keyed?.key ?? null,
          keyed?.fingerprint ?? null,
          request,
          replica,
          buyer,
          strategy,
          JSON.stringify({ options, ignored }),
          JSON.stringify(intent.lines),
          intent.isCart,
        ],
      );
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  async findByKey(key: string): Promise<OrderIntentRow | undefined> {
    return (await this.rows('WHERE idempotency_key = ?', [key]))[0];
  }

  async find(id: string): Promise<OrderIntentRow | undefined> {
    return (await this.rows('WHERE id = ?', [id]))[0];
  }

  /** At most `limit` intents in state `placing` without a heartbeat for `silentMs`, with ids above `after`. */
  leftFor(silentMs: number, after: string, limit: number): Promise<OrderIntentRow[]> {
    return this.rows(
      `WHERE state = 'placing' AND seen_at <= NOW(6) - INTERVAL ? MICROSECOND AND id > ? ORDER BY id LIMIT ?`,
      [1000 * silentMs, after, limit],
    );
  }

  /**
   * Starts a new attempt after the one of `before` was cancelled. False: another request has taken the intent over
   * first.
   */
  async takeOver(before: OrderIntent, { id, attempt, request, replica }: OrderIntent): Promise<boolean> {
    return this.changed(
      `UPDATE placement FORCE INDEX (PRIMARY) SET state = 'placing', attempt = ?, request = ?, replica = ?, seen_at = NOW(6)
        WHERE id = ? AND attempt = ? AND state <> 'done'`,
      [attempt, request, replica, id, before.attempt],
    );
  }

  /**
   * Heartbeat: the replica still works on these intents. Found by their ids: by the index of `state` the statement would lock the
   * intents of all orders in progress.
   */
  async seen(ids: readonly string[]): Promise<void> {
    await this.dataSource.query(
      `UPDATE placement FORCE INDEX (PRIMARY) SET seen_at = NOW(6) WHERE state = 'placing' AND id IN (?)`,
      [ids],
    );
  }

  /** Marks an intent with an unknown outcome as silent for `silentMs`, so that it can be recovered immediately. */
  async abandon({ id, attempt }: OrderIntent, silentMs: number): Promise<void> {
    await this.dataSource.query(
      `UPDATE placement FORCE INDEX (PRIMARY) SET seen_at = NOW(6) - INTERVAL ? MICROSECOND WHERE id = ? AND attempt = ? AND state = 'placing'`,
      [1000 * silentMs, id, attempt],
    );
  }

  /**
   * Records the order and ends its intent, in one transaction. False: nothing was recorded, because the intent was done
   * already or was taken over. The intent of an order without a key is deleted, because it cannot be replayed.
   */
  bought(intent: OrderIntent, rows: readonly Order[], answer: StoredAnswer): Promise<boolean> {
    return this.dataSource.transaction(async (sql) => {
      const isOurs =
        intent.keyed === undefined
          ? await this.delete(intent, sql)
          : await this.answered(intent, answer, sql);
      if (isOurs) await this.orders.insert(rows, sql);
      return isOurs;
    });
  }

  /** Ends the intent with a final refusal, which is stored under the key. */
  async refused(intent: OrderIntent, answer: StoredAnswer): Promise<void> {
    if (intent.keyed === undefined) await this.delete(intent);
    else await this.answered(intent, answer);
  }

  /** Ends the attempt: no stock was taken, and the order may be retried. */
  async failed(intent: OrderIntent): Promise<void> {
    const { id, attempt, keyed } = intent;
    if (keyed === undefined) await this.delete(intent);
    else
      await this.dataSource.query(
        `UPDATE placement FORCE INDEX (PRIMARY) SET state = 'failed' WHERE id = ? AND attempt = ? AND state = 'placing'`,
        [id, attempt],
      );
  }

  /**
   * Deletes at most `limit` finished intents that are older than `KEEP_HOURS`. They are read first, without locks: a DELETE
   * that looks for them locks the gaps between the intents of running orders, and deadlocks with these.
   */
  async forgetOld(limit: number): Promise<void> {
    const old = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM placement WHERE state IN ('failed', 'done') AND seen_at < NOW(6) - INTERVAL ${KEEP_HOURS} HOUR LIMIT ?`,
      [limit],
    );
    if (old.length === 0) return;
    await this.dataSource.query(
      `DELETE FROM placement WHERE id IN (?) AND state <> 'placing' AND seen_at < NOW(6) - INTERVAL ${KEEP_HOURS} HOUR`,
      [old.map(({ id }) => id)],
    );
  }

  /** Deletes the intents that contain this product, when it is reset. */
  async forget(sku: string): Promise<void> {
    await this.dataSource.query(`DELETE FROM placement WHERE JSON_CONTAINS(cart, JSON_OBJECT('sku', ?))`, [
      sku,
    ]);
  }

  private answered(
    { id, attempt }: OrderIntent,
    { status, body }: StoredAnswer,
    sql: Pick<EntityManager, 'query'> = this.dataSource,
  ): Promise<boolean> {
    return this.changed(
      `UPDATE placement FORCE INDEX (PRIMARY) SET state = 'done', status = ?, answer = ? WHERE id = ? AND attempt = ? AND state <> 'done'`,
      [status, JSON.stringify(body), id, attempt],
      sql,
    );
  }

  private delete(
    { id, attempt }: OrderIntent,
    sql: Pick<EntityManager, 'query'> = this.dataSource,
  ): Promise<boolean> {
    return this.changed('DELETE FROM placement WHERE id = ? AND attempt = ?', [id, attempt], sql);
  }

  private async changed(
    statement: string,
    values: readonly unknown[],
    sql: Pick<EntityManager, 'query'> = this.dataSource,
  ): Promise<boolean> {
    const { affectedRows } = await sql.query<{ affectedRows: number }>(statement, [...values]);
    return affectedRows === 1;
  }

  private async rows(where: string, values: readonly unknown[]): Promise<OrderIntentRow[]> {
    const raw = await this.dataSource.query<Raw[]>(`${ROWS} ${where}`, [...values]);
    return raw.map(({ idempotencyKey: key, fingerprint, chosen, cart, isCart, status, answer, ...row }) => ({
      ...row,
      ...(JSON.parse(chosen) as Pick<StrategyChoice, 'options' | 'ignored'>),
      lines: JSON.parse(cart) as OrderRequest['lines'],
      isCart: isCart === 1,
      keyed: key === null || fingerprint === null ? undefined : { key, fingerprint },
      answer:
        status === null || answer === null ? undefined : { status, body: JSON.parse(answer) as unknown },
    }));
  }
}
