import type { Config } from '#lab/config';
import { cartLine, problem, problemOf, ProblemError, RequestRecorder, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { cartStrategy } from '#lab/strategy';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { fingerprintOf } from './idempotency-key';
import { InventoryClient } from './inventory.client';
import type { StoredAnswer, OrderIntent, OrderIntentRow, OrderRequest } from './order-intent';
import { OrderIntentsRepository } from './order-intents.repository';
import { Heartbeat, HEARTBEAT_TIMEOUT_MS } from './heartbeat';
import { IntentRecovery } from './intent-recovery';
import { CONFIG } from './tokens';

/** Who asks, and under which key. */
export interface RequestContext {
  readonly request: string;
  readonly key: string | undefined;
  /** The `x-fault` header, handed on, and what of it is ours. */
  readonly fault: string | undefined;
  readonly faults: readonly Fault[];
}

/** An answer; `isReplayed`: the order was placed, or refused, by an earlier request with the same key. */
export interface OrderResult extends StoredAnswer {
  readonly isReplayed: boolean;
}

/** Refusals that stay as they are however often they are asked for: these stand under a key. */
const FINAL = new Set(['STOCK.SOLD_OUT', 'STOCK.UNKNOWN_SKU']);
/** What the inventory says of itself when it has done nothing. */
const NOTHING_DONE = new Set(['COMPONENT.MISSING']);

/**
 * Places orders. First the intent is written down, then the stock is taken, then the order is recorded together with the end of
 * the intent. Who dies in between leaves an intent that tells the next one (`IntentRecovery`) all that is needed.
 */
@Injectable()
export class OrdersService {
  constructor(
    @Inject(InventoryClient) private readonly inventory: InventoryClient,
    @Inject(OrderIntentsRepository) private readonly intents: OrderIntentsRepository,
    @Inject(IntentRecovery) private readonly recovery: IntentRecovery,
    @Inject(Heartbeat) private readonly heartbeat: Heartbeat,
    @Inject(RequestRecorder) private readonly requests: RequestRecorder,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Places an order of one product, or of a cart: all or nothing. Under a key it is placed once, and told as often as it is asked
   * for. Throws `NoCarts`, what the inventory said, or a problem of the key.
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
      return 'isReplayed' in begun ? begun : this.buy(begun, context.fault);
    });
  }

  /** Writes the intent down. Whose key is known is told what it came to, or goes on with it when nothing was bought. */
  private async begin(intent: OrderIntent, fault: string | undefined): Promise<OrderIntent | OrderResult> {
    if (await this.intents.insert(intent)) return intent;
    const { keyed } = intent;
    const found = keyed && (await this.intents.findByKey(keyed.key));
    if (found === undefined) throw inProgress(1); // forgotten at this moment
    if (found.keyed?.fingerprint !== keyed?.fingerprint) throw reused();
    if (found.answer !== undefined) return { ...found.answer, isReplayed: true };
    if (found.state === 'placing' && found.silentMs < HEARTBEAT_TIMEOUT_MS)
      throw inProgress((HEARTBEAT_TIMEOUT_MS - found.silentMs) / 1000);
    return this.takeOver(found, intent, fault);
  }

  /** Goes on with what an earlier request under the key has left: it may have bought, whatever it was told. */
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
      // the history, and those who judge it, tell requests apart by their ids: two attempts are two
      request: request === found.request ? randomUUID() : request,
    };
    if (await this.intents.takeOver(found, next)) return next;
    throw inProgress(1);
  }

  /** Takes the stock and records the order. */
  private buy(intent: OrderIntent, fault: string | undefined): Promise<OrderResult> {
    return this.heartbeat.during(intent.id, async () => {
      let deducted;
      try {
        deducted = await this.inventory.deduct(intent, fault);
      } catch (error) {
        return await this.notBought(intent, error);
      }
      try {
        const answer = await this.recovery.complete(intent, deducted);
        if (answer !== undefined) return { ...answer, isReplayed: false };
      } catch (cause) {
        await this.abandon(intent);
        const detail = `the stock was deducted, but the order could not be recorded (request ${intent.request}). Do not order again without the same Idempotency-Key: the order will be reconciled`;
        throw Object.assign(new ProblemError(problem('OUTCOME_UNKNOWN', detail)), { cause });
      }
      throw new ProblemError(problem('CHANGE.CLOSED', 'the product was set anew meanwhile: order again'));
    });
  }

  /** Notes what is known of a deduction that was not answered by its stock. Throws the error, unless somebody else has bought. */
  private async notBought(intent: OrderIntent, error: unknown): Promise<OrderResult> {
    const body = problemOf(error);
    const { code, status } = body;
    if (code === 'CHANGE.CLOSED') {
      const answer = await this.recovery.answerOf(intent); // a reconciler or a retry was faster
      if (answer !== undefined) return { ...answer, isReplayed: false };
    } else if (status >= 500 && !NOTHING_DONE.has(code)) await this.abandon(intent);
    else {
      const noted = FINAL.has(code)
        ? this.intents.refused(intent, { status, body })
        : this.intents.failed(intent);
      await noted.catch(() => undefined); // the reconciler will find out
    }
    throw error;
  }

  private async abandon(intent: OrderIntent): Promise<void> {
    await this.intents.abandon(intent, HEARTBEAT_TIMEOUT_MS).catch(() => undefined); // then it is silent a little later
  }
}

/** How the history begins a request. */
function beginOf({ lines, isCart, request }: OrderIntent): ReturnType<typeof cartLine> {
  const { cart, ...single } = cartLine(request, lines);
  return isCart && cart !== undefined ? { ...single, cart } : single;
}

function inProgress(seconds: number): ProblemError {
  const detail = 'an order with this Idempotency-Key is still under way: ask again, with the same key';
  return new ProblemError(
    problem('IDEMPOTENCY.IN_PROGRESS', detail, { retryAfterSeconds: Math.max(1, Math.ceil(seconds)) }),
  );
}

function reused(): ProblemError {
  const detail =
    'this Idempotency-Key was used for another order (other products, quantities, buyer, strategy or options): take a new key for a new order';
  return new ProblemError(problem('IDEMPOTENCY.REUSED', detail));
}
