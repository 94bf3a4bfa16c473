import type { Movement } from '#lab/balance';
import { Story, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { Inject, Injectable } from '@nestjs/common';
import { Toolbox } from './toolbox';

export interface Deduction {
  readonly sku: string;
  readonly quantity: number;
  readonly request: string;
}

/** Deducts stock by the strategy that the request chose. */
@Injectable()
export class DeductionsService {
  constructor(
    @Inject(Toolbox) private readonly toolbox: Toolbox,
    @Inject(Story) private readonly story: Story,
  ) {}

  deduct(
    { sku, quantity, request }: Deduction,
    { strategy, options }: Chosen,
    faults: readonly Fault[],
  ): Promise<Movement> {
    const change = {
      balance: sku,
      delta: -quantity,
      request,
      replica: this.toolbox.process.name,
      strategy: strategy.name,
    };
    const begin = { request, balance: sku, delta: change.delta, strategy: strategy.name, options };
    const tools = this.toolbox.tools(request, options);
    return this.story.tell(begin, faults, () => strategy.apply(change, tools));
  }
}
