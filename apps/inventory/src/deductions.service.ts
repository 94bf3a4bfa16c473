import { Balances, type Movement } from '#lab/balance';
import { Story, type Chosen } from '#lab/http';
import { Servers, SteppedRedis, systemClock, type Fault } from '#lab/step';
import { LocalProcess, type Tools } from '#lab/strategy';
import { Inject, Injectable, Logger } from '@nestjs/common';

export interface Deduction {
  readonly sku: string;
  readonly quantity: number;
  readonly request: string;
}

/** Deducts stock by the strategy that the request chose. */
@Injectable()
export class DeductionsService {
  private readonly logger = new Logger(DeductionsService.name);

  constructor(
    @Inject(Balances) private readonly balances: Balances,
    @Inject(SteppedRedis) private readonly redis: SteppedRedis,
    @Inject(Servers) private readonly servers: Servers,
    @Inject(LocalProcess) private readonly process: LocalProcess,
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
      replica: this.process.name,
      strategy: strategy.name,
    };
    const tools: Tools = {
      balances: this.balances,
      redis: this.redis,
      servers: this.servers,
      process: this.process,
      clock: systemClock,
      options,
      work: async () => {
        if (options.workMs > 0) await systemClock.sleep(options.workMs, 'WORK');
      },
      warn: (warning, cause) => {
        this.logger.warn({ warning, request, cause });
      },
    };
    const begin = { request, balance: sku, delta: change.delta, strategy: strategy.name, options };
    return this.story.tell(begin, faults, () => strategy.apply(change, tools));
  }
}
