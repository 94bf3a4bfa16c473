import type { Change, Movement } from '#lab/balance';
import { cartLine, Story, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { cartStrategy, type Strategy } from '#lab/strategy';
import { Inject, Injectable } from '@nestjs/common';
import { Toolbox } from '#lab/host';

export interface DeductionLine {
  readonly sku: string;
  readonly quantity: number;
}

/** Deducts stock by the strategy that the request chose. */
@Injectable()
export class DeductionsService {
  constructor(
    @Inject(Toolbox) private readonly toolbox: Toolbox,
    @Inject(Story) private readonly story: Story,
  ) {}

  deduct(
    line: DeductionLine,
    request: string,
    { strategy, options }: Chosen,
    faults: readonly Fault[],
  ): Promise<Movement> {
    const change = this.change(line, request, strategy);
    const { balance, delta } = change;
    const begin = { request, balance, delta, strategy: strategy.name, options };
    const tools = this.toolbox.tools(request, options);
    return this.story.tell(begin, faults, () => strategy.apply(change, tools));
  }

  /** All lines or none. Throws `NoCarts` when the strategy cannot. */
  deductAll(
    lines: readonly DeductionLine[],
    request: string,
    chosen: Chosen,
    faults: readonly Fault[],
  ): Promise<readonly Movement[]> {
    const strategy = cartStrategy(chosen.strategy);
    const cart = lines.map((line) => this.change(line, request, strategy));
    const begin = { ...cartLine(request, lines), strategy: strategy.name, options: chosen.options };
    const tools = this.toolbox.tools(request, chosen.options);
    return this.story.tell(begin, faults, () => strategy.applyAll(cart, tools));
  }

  private change({ sku, quantity }: DeductionLine, request: string, strategy: Strategy): Change {
    const replica = this.toolbox.process.name;
    return { balance: sku, delta: -quantity, request, replica, strategy: strategy.name };
  }
}
