import type { Config } from '#lab/config';
import { log, problem, problemOf, ProblemError, RequestRecorder, withFields, type Chosen } from '#lab/http';
import { cartLine } from '#lab/shop';
import { dropped, type Fault } from '#lab/step';
import { cartStrategy } from '#lab/strategy';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fingerprintOf } from './idempotency-key';
import { InventoryClient } from './inventory.client';
import type { DeductedStock, StoredAnswer, OrderIntent, OrderIntentRow, OrderRequest } from './order-intent';
import { OrderIntentsRepository } from './order-intents.repository';
import { Heartbeat, HEARTBEAT_TIMEOUT_MS } from './heartbeat';
import { IntentRecovery } from './intent-recovery';
import { CONFIG } from './tokens';

/** The context of an order request. */
export interface RequestContext {
  readonly request: string;
  /** The idempotency key. */
  readonly key: string | undefined;
  /** The `x-fault` header, forwarded to the inventory, and those of its faults that apply to this app. */
  readonly fault: string | undefined;
  readonly faults: readonly Fault[];
}

/** The response; `isReplayed`: an earlier request with the same key placed the order, or was refused. */
export interface OrderResult extends StoredAnswer {
  readonly isReplayed: boolean;
}

/** Refusals that a retry would not change: these are stored under the key. */
const FINAL = new Set(['STOCK.SOLD_OUT', 'STOCK.UNKNOWN_SKU']);
/** Pauses between the tries to record an order, milliseconds. */
const RECORD_AGAIN_AFTER_MS = [100, 500];
/** Errors of a try that need not repeat: a lost connection, a deadlock victim, a row lock of an earlier try. */
const WORTH_RETRYING = new Set([
  'DEPENDENCY.DOWN',
  'OUTCOME_UNKNOWN',
  'SQL.DEADLOCK',
  'SQL.CONFLICT',
  'LOCK.WAIT_TIMEOUT',
]);
/** Status ≥ 500 codes of the inventory that mean that it has done nothing. */
const NOTHING_DONE = new Set(['COMPONENT.MISSING']);

/**
 * Places orders: records the intent, takes the stock, then records the order and ends the intent in one transaction. A crash
 * in between leaves an intent that `IntentRecovery` can settle.
 */
@Injectable()
export class OrdersService {
  constructor(
    private readonly inventory: InventoryClient,
    private readonly intents: OrderIntentsRepository,
    private readonly recovery: IntentRecovery,
    private readonly heartbeat: Heartbeat,
    private readonly requests: RequestRecorder,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Places an order of one product, or of a cart: all or nothing. With a key it is placed once, and its result is returned
   * again on every retry. Throws `NoCarts`, the inventory's problem, or a problem of the key.
   */
  place(orderRequest: OrderRequest, context: RequestContext, chosen: Chosen): Promise<OrderResult> {
    const { options, ignored } = chosen;
    const { name: strategy } = orderRequest.isCart ? cartStrategy(chosen.strategy) : chosen.strategy;
    const { request, key } = context;
    const intent: OrderIntent = {
      ...orderRequest,
      id: randomUUID(),
      attempt: randomUUID(),
      keyed: key === undefined ? undefined : { key, fingerprint: fingerprintOf(orderRequest, chosen) },
      request,
      replica: this.config.replica,
      strategy,
      options,
      ignored,
    };
    return this.requests.record({ ...beginOf(intent), strategy, options }, context.faults, async () => {
      const begun = await this.begin(intent, context.fault);
      if ('isReplayed' in begun) return begun;
      return this.buy(begun, context.fault).catch((error: unknown) => {
        throw withFields(error, { attempt: begun.attempt });
      });
    });
  }

  /** Records the intent. A known key returns the recorded result, or retries when no stock was taken. */
  private async begin(intent: OrderIntent, fault: string | undefined): Promise<OrderIntent | OrderResult> {
    if (await this.intents.insert(intent)) return intent;
    const { keyed } = intent;
    const found = keyed && (await this.intents.findByKey(keyed.key));
    if (found === undefined) throw inProgress(1); // deleted since the insert failed
    if (found.keyed?.fingerprint !== keyed?.fingerprint) throw reused();
    if (found.answer !== undefined) return { ...found.answer, isReplayed: true };
    if (found.state === 'placing' && found.silentMs < HEARTBEAT_TIMEOUT_MS)
      throw inProgress((HEARTBEAT_TIMEOUT_MS - found.silentMs) / 1000);
    return this.takeOver(found, intent, fault);
  }

  /**
   * Settles or retries the intent of an earlier request with the key: its stock may have been taken, whatever it
   * answered.
   */
  private async takeOver(
    found: OrderIntentRow,
    { attempt, request, replica }: OrderIntent,
    fault: string | undefined,
  ): Promise<OrderIntent | OrderResult> {
    const settled = await this.recovery.settle(found, fault);
    if (settled !== undefined) return { ...settled, isReplayed: true };
    const next = {
      ...found,
      attempt,
      replica,
      // the history and the verdict identify requests by their ids: each attempt needs its own
      request: request === found.request ? randomUUID() : request,
    };
    if (await this.intents.takeOver(found, next)) return next;
    throw inProgress(1);
  }

  /** Takes the stock and records the order. */
  private async buy(intent: OrderIntent, fault: string | undefined): Promise<OrderResult> {
    let deducted;
    try {
      // no heartbeats while the order is recorded: they would lock the row of the intent, and others with it
      deducted = await this.heartbeat.during(intent.id, () => this.inventory.deduct(intent, fault));
    } catch (error) {
      return this.afterFailure(intent, error);
    }
    try {
      const answer = await this.recordOrder(intent, deducted);
      if (answer !== undefined) return { ...answer, isReplayed: false };
    } catch (cause) {
      await this.abandon(intent);
      const detail = `the stock was deducted, but the order could not be recorded (request ${intent.request}); it will be reconciled. Do not order again without the same Idempotency-Key`;
      throw Object.assign(new ProblemError(problem('OUTCOME_UNKNOWN', detail)), { cause });
    }
    throw new ProblemError(problem('CHANGE.CLOSED', 'the product was reset during the order: order again'));
  }

  /**
   * Records the order. A try that failed, or whose result is unknown, is repeated: the row of the intent lets only one of them
   * record the order, and the others find it.
   */
  private async recordOrder(intent: OrderIntent, deducted: DeductedStock): Promise<StoredAnswer | undefined> {
    for (const pauseMs of RECORD_AGAIN_AFTER_MS) {
      try {
        return await this.recovery.complete(intent, deducted);
      } catch (error) {
        if (!WORTH_RETRYING.has(problemOf(error).code)) throw error;
        const { request, attempt } = intent;
        log.write('warn', 'the order was not recorded; trying again', error, { request, attempt });
        await delay(pauseMs);
      }
    }
    return this.recovery.complete(intent, deducted);
  }

  /**
   * Records the state of the intent after a failed deduction. Throws the error, unless a reconciler or a retry has
   * placed the order.
   */
  private async afterFailure(intent: OrderIntent, error: unknown): Promise<OrderResult> {
    const body = problemOf(error);
    const { code, status } = body;
    if (code === 'CHANGE.CLOSED') {
      const answer = await this.recovery.answerOf(intent); // a reconciler or a retry may have placed it
      if (answer !== undefined) return { ...answer, isReplayed: false };
    } else if (status >= 500 && !NOTHING_DONE.has(code)) await this.abandon(intent);
    else {
      const recorded = FINAL.has(code)
        ? this.intents.refused(intent, { status, body })
        : this.intents.failed(intent);
      await recorded.catch(dropped('recording the end of an order')); // the reconciler settles it
    }
    throw error;
  }

  private async abandon(intent: OrderIntent): Promise<void> {
    await this.intents.abandon(intent, HEARTBEAT_TIMEOUT_MS).catch(dropped('giving an order up')); // then it times out a little later
  }
}

/** The fields of the request line in the history. */
function beginOf({ lines, isCart, request }: OrderIntent): ReturnType<typeof cartLine> {
  const { cart, ...single } = cartLine(request, lines);
  return isCart && cart !== undefined ? { ...single, cart } : single;
}

function inProgress(seconds: number): ProblemError {
  const detail = 'an order with this Idempotency-Key is still in progress: try again with the same key';
  return new ProblemError(
    problem('IDEMPOTENCY.IN_PROGRESS', detail, { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) }),
  );
}

function reused(): ProblemError {
  const detail =
    'this Idempotency-Key was used for another order (other products, quantities, buyer, strategy or options): use a new key for a new order';
  return new ProblemError(problem('IDEMPOTENCY.REUSED', detail));
}
