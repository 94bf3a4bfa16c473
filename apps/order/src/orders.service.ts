import type { Config } from '#lab/config';
import { cartLine, problem, problemOf, ProblemError, Story, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { cartStrategy } from '#lab/strategy';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { fingerprintOf } from './idempotency-key';
import { InventoryClient } from './inventory.client';
import type { Answer, Placement, PlacementRow, Wanted } from './placement';
import { PlacementsRepository } from './placements.repository';
import { Pulse, SILENT_MS } from './pulse';
import { Settlement } from './settlement';
import { CONFIG } from './tokens';

/** Who asks, and under which key. */
export interface Asking {
  readonly request: string;
  readonly key: string | undefined;
  /** The `x-fault` header, handed on, and what of it is ours. */
  readonly fault: string | undefined;
  readonly faults: readonly Fault[];
}

/** An answer; `isReplayed`: the order was placed, or refused, by an earlier request with the same key. */
export interface Told extends Answer {
  readonly isReplayed: boolean;
}

/** Refusals that stay as they are however often they are asked for: these stand under a key. */
const FINAL = new Set(['STOCK.SOLD_OUT', 'STOCK.UNKNOWN_SKU']);
/** What the inventory says of itself when it has done nothing. */
const NOTHING_DONE = new Set(['COMPONENT.MISSING']);

/**
 * Places orders. First the intent is written down, then the stock is taken, then the order is recorded together with the end of
 * the intent. Who dies in between leaves an intent that tells the next one (`Settlement`) all that is needed.
 */
@Injectable()
export class OrdersService {
  constructor(
    @Inject(InventoryClient) private readonly inventory: InventoryClient,
    @Inject(PlacementsRepository) private readonly placements: PlacementsRepository,
    @Inject(Settlement) private readonly settlement: Settlement,
    @Inject(Pulse) private readonly pulse: Pulse,
    @Inject(Story) private readonly story: Story,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Places an order of one product, or of a cart: all or nothing. Under a key it is placed once, and told as often as it is asked
   * for. Throws `NoCarts`, what the inventory said, or a problem of the key.
   */
  place(wanted: Wanted, asking: Asking, chosen: Chosen): Promise<Told> {
    const { options, ignored } = chosen;
    const { name: strategy } = wanted.isCart ? cartStrategy(chosen.strategy) : chosen.strategy;
    const { request, key } = asking;
    const placement: Placement = {
      ...wanted,
      id: randomUUID(),
      attempt: randomUUID(),
      keyed: key === undefined ? undefined : { key, fingerprint: fingerprintOf(wanted, chosen) },
      request,
      replica: this.config.replica,
      strategy,
      options,
      ignored,
    };
    return this.story.tell({ ...beginOf(placement), strategy, options }, asking.faults, async () => {
      const begun = await this.begin(placement, asking.fault);
      return 'isReplayed' in begun ? begun : this.buy(begun, asking.fault);
    });
  }

  /** Writes the intent down. Whose key is known is told what it came to, or goes on with it when nothing was bought. */
  private async begin(placement: Placement, fault: string | undefined): Promise<Placement | Told> {
    if (await this.placements.insert(placement)) return placement;
    const { keyed } = placement;
    const found = keyed && (await this.placements.findByKey(keyed.key));
    if (found === undefined) throw inProgress(1); // forgotten at this moment
    if (found.keyed?.fingerprint !== keyed?.fingerprint) throw reused();
    if (found.answer !== undefined) return { ...found.answer, isReplayed: true };
    if (found.state === 'placing' && found.silentMs < SILENT_MS)
      throw inProgress((SILENT_MS - found.silentMs) / 1000);
    return this.takeOver(found, placement, fault);
  }

  /** Goes on with what an earlier request under the key has left: it may have bought, whatever it was told. */
  private async takeOver(
    found: PlacementRow,
    { attempt, request, replica }: Placement,
    fault: string | undefined,
  ): Promise<Placement | Told> {
    const settled = await this.settlement.settle(found, fault);
    if (settled !== undefined) return { ...settled, isReplayed: true };
    const next = {
      ...found,
      attempt,
      replica,
      // the history, and those who judge it, tell requests apart by their ids: two attempts are two
      request: request === found.request ? randomUUID() : request,
    };
    if (await this.placements.takeOver(found, next)) return next;
    throw inProgress(1);
  }

  /** Takes the stock and records the order. */
  private buy(placement: Placement, fault: string | undefined): Promise<Told> {
    return this.pulse.during(placement.id, async () => {
      let taken;
      try {
        taken = await this.inventory.deduct(placement, fault);
      } catch (error) {
        return await this.notBought(placement, error);
      }
      try {
        const answer = await this.settlement.complete(placement, taken);
        if (answer !== undefined) return { ...answer, isReplayed: false };
      } catch (cause) {
        await this.abandon(placement);
        const detail = `the stock was deducted, but the order could not be recorded (request ${placement.request}). Do not order again without the same Idempotency-Key: the order will be reconciled`;
        throw Object.assign(new ProblemError(problem('OUTCOME_UNKNOWN', detail)), { cause });
      }
      throw new ProblemError(problem('CHANGE.CLOSED', 'the product was set anew meanwhile: order again'));
    });
  }

  /** Notes what is known of a deduction that was not answered by its stock. Throws the error, unless somebody else has bought. */
  private async notBought(placement: Placement, error: unknown): Promise<Told> {
    const body = problemOf(error);
    const { code, status } = body;
    if (code === 'CHANGE.CLOSED') {
      const answer = await this.settlement.answerOf(placement); // a reconciler or a retry was faster
      if (answer !== undefined) return { ...answer, isReplayed: false };
    } else if (status >= 500 && !NOTHING_DONE.has(code)) await this.abandon(placement);
    else {
      const noted = FINAL.has(code)
        ? this.placements.refused(placement, { status, body })
        : this.placements.failed(placement);
      await noted.catch(() => undefined); // the reconciler will find out
    }
    throw error;
  }

  private async abandon(placement: Placement): Promise<void> {
    await this.placements.abandon(placement, SILENT_MS).catch(() => undefined); // then it is silent a little later
  }
}

/** How the history begins a request. */
function beginOf({ lines, isCart, request }: Placement): ReturnType<typeof cartLine> {
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
