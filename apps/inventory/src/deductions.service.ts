import { UnknownBalance, type Change, type Movement } from '#lab/balance';
import { cartLine, RequestRecorder, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { cartStrategy, type Strategy } from '#lab/strategy';
import { Inject, Injectable } from '@nestjs/common';
import { LabOperations, Toolbox } from '#lab/host';

export interface DeductionLine {
  readonly sku: string;
  readonly quantity: number;
}

/** Who wants a deduction. */
export interface Deducting {
  readonly request: string;
  /** Names the deduction where it must not be made twice. */
  readonly dedupKey?: string | undefined;
}

/** What has become of a deduction that was given up unless it was made. */
export interface Closed {
  /** What it has taken, of each line; none: nothing, and it never will. */
  readonly lines: readonly (DeductionLine & Pick<Movement, 'before' | 'after'>)[];
  /** The replica that made it. */
  readonly replica?: string;
}

/** Deducts stock by the strategy that the request chose. */
@Injectable()
export class DeductionsService {
  constructor(
    @Inject(Toolbox) private readonly toolbox: Toolbox,
    @Inject(LabOperations) private readonly lab: LabOperations,
    @Inject(RequestRecorder) private readonly requests: RequestRecorder,
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
    return this.requests.record(begin, faults, () => this.known(strategy.apply(change, tools)));
  }

  /** All lines or none. Throws `NoCarts` when the strategy cannot. */
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
    return this.requests.record(begin, faults, () => this.known(strategy.applyAll(cart, tools)));
  }

  /**
   * Gives a deduction up, unless it was made. From then on it cannot be made, however late its replica goes on: see `Cancellations`.
   * What its strategy had taken outside of the database goes back; when that fails, ask again.
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

  /** Of a product that does not exist nothing stays behind: a fencing strategy counts its requests, for ever. */
  private async known<T>(sale: Promise<T>): Promise<T> {
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

/** The name of what a deduction does to its nth line. */
const dedupKeyOf = (dedupKey: string, line: number): string => `${dedupKey}.${line}`;
