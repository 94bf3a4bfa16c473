import { UnknownBalance, type Change, type Movement } from '#lab/balance';
import { RequestRecorder, type Chosen } from '#lab/http';
import { cartLine } from '#lab/shop';
import type { Fault } from '#lab/step';
import { cartStrategy, type Strategy } from '#lab/strategy';
import { Injectable } from '@nestjs/common';
import { LabOperations, Toolbox } from '#lab/host';

export interface DeductionLine {
  readonly sku: string;
  readonly quantity: number;
}

/** The request that makes a deduction. */
export interface Deducting {
  readonly request: string;
  /** Deduplication key of a deduction that must be made at most once. */
  readonly dedupKey?: string | undefined;
}

/** The result of a cancellation. */
export interface Closed {
  /** The stock that the deduction took; empty: it was cancelled and will never take any. */
  readonly lines: readonly (DeductionLine & Pick<Movement, 'before' | 'after'>)[];
  /** The replica that made the deduction. */
  readonly replica?: string;
}

/** Deducts stock with the strategy of the request. */
@Injectable()
export class DeductionsService {
  constructor(
    private readonly toolbox: Toolbox,
    private readonly lab: LabOperations,
    private readonly requests: RequestRecorder,
  ) {}

  deduct(
    line: DeductionLine,
    by: Deducting,
    { strategy, options }: Chosen,
    faults: readonly Fault[],
  ): Promise<Movement> {
    const { request } = by;
    const change = this.change(line, by, strategy);
    const { balance, delta } = change;
    const begin = { request, balance, delta, strategy: strategy.name, options };
    const tools = this.toolbox.tools(request, options);
    return this.requests.record(begin, faults, () => this.cleaningUp(strategy.apply(change, tools)));
  }

  /** Deducts all lines or none. Throws `NoCarts` when the strategy does not support carts. */
  deductAll(
    lines: readonly DeductionLine[],
    by: Deducting,
    chosen: Chosen,
    faults: readonly Fault[],
  ): Promise<readonly Movement[]> {
    const strategy = cartStrategy(chosen.strategy);
    const { request } = by;
    const cart = lines.map((line, i) => this.change(line, by, strategy, i));
    const begin = { ...cartLine(request, lines), strategy: strategy.name, options: chosen.options };
    const tools = this.toolbox.tools(request, chosen.options);
    return this.requests.record(begin, faults, () => this.cleaningUp(strategy.applyAll(cart, tools)));
  }

  /**
   * Cancels a deduction, unless it was made. A cancelled deduction cannot be made any more, however late its replica resumes:
   * see `Cancellations`. Also gives back units that the strategy took outside of the database; when that fails, call again.
   */
  close(
    dedupKey: string,
    lines: readonly DeductionLine[],
    request: string,
    { strategy, options }: Chosen,
    faults: readonly Fault[],
  ): Promise<Closed> {
    const tools = this.toolbox.tools(request, options);
    const begin = { request, balance: '', delta: 0, strategy: strategy.name, options };
    return this.requests.record(begin, faults, async () => {
      const [first, ...more] = lines.map((_, i) => dedupKeyOf(dedupKey, i));
      if (first === undefined) return { lines: [] };
      const made = await tools.balances.cancellations.cancel([first, ...more]);
      if (made === undefined) for (const { sku } of lines) await strategy.reconcile?.(sku, tools);
      const [change] = made ?? [];
      if (made === undefined || change === undefined) return { lines: [] };
      return {
        lines: made.map(({ balance: sku, delta, before, after }) => ({
          sku,
          quantity: -delta,
          before,
          after,
        })),
        replica: change.replica,
      };
    });
  }

  /** Deletes the fencing counter of an unknown product; otherwise it would never expire. */
  private async cleaningUp<T>(sale: Promise<T>): Promise<T> {
    try {
      return await sale;
    } catch (error) {
      if (error instanceof UnknownBalance) await this.lab.forget(error.balance);
      throw error;
    }
  }

  private change(
    { sku, quantity }: DeductionLine,
    { request, dedupKey }: Deducting,
    strategy: Strategy,
    i = 0,
  ): Change {
    const replica = this.toolbox.process.name;
    return {
      balance: sku,
      delta: -quantity,
      request,
      replica,
      strategy: strategy.name,
      ...(dedupKey !== undefined && { dedupKey: dedupKeyOf(dedupKey, i) }),
    };
  }
}

/** The deduplication key of one line of a deduction. */
const dedupKeyOf = (dedupKey: string, line: number): string => `${dedupKey}.${line}`;
