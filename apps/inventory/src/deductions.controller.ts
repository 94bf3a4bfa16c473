import {
  ApiChoice,
  ApiFault,
  ApiLimit,
  ChosenStrategy,
  RequestFaults,
  RequestId,
  type Chosen,
} from '#lab/http';
import { SkuParams } from '#lab/shop';
import type { Fault } from '#lab/step';
import { Body, Controller, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DeductionsService, type Closed } from './deductions.service';
import {
  CartDeductionBody,
  CancellationParams,
  DeductionBody,
  DEDUCTION_ID,
  readDeductionId,
} from './schemas';

/** The response to a deduction: the stock as this request read it, and the ignored options. */
interface DeductionAnswer {
  readonly sku: string;
  readonly quantity: number;
  readonly before: number;
  readonly after: number;
  readonly strategy: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly ignored: readonly string[];
  readonly replica: string;
  readonly request: string;
}

/** The response to the deduction of a cart: one line for each product. */
type CartDeductionAnswer = Omit<DeductionAnswer, 'sku' | 'quantity' | 'before' | 'after'> & {
  readonly lines: readonly Pick<DeductionAnswer, 'sku' | 'quantity' | 'before' | 'after'>[];
};

const ApiDeductionId = (): MethodDecorator =>
  ApiHeader({
    name: 'X-Deduction-Id',
    required: false,
    description: 'id of the deduction: at most one deduction with this id is made',
    schema: { type: 'string', pattern: DEDUCTION_ID.source },
  });

@ApiTags('stock')
@Controller()
export class DeductionsController {
  constructor(private readonly deductions: DeductionsService) {}

  @Post('products/:sku/deductions')
  @ApiOperation({
    summary: 'Deduct stock with the chosen strategy (internal: called by the order app)',
  })
  @ApiChoice()
  @ApiLimit()
  @ApiDeductionId()
  @ApiFault()
  async deduct(
    @Param() { sku }: SkuParams,
    @Body() { quantity }: DeductionBody,
    @ChosenStrategy() chosen: Chosen,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
    @Headers() headers: Record<string, string | undefined>,
  ): Promise<DeductionAnswer> {
    const by = { request, dedupKey: readDeductionId(headers) };
    const line = { sku, quantity };
    const { before, after, replica } = await this.deductions.deduct(line, by, chosen, faults);
    const { strategy, options, ignored } = chosen;
    return { sku, quantity, before, after, strategy: strategy.name, options, ignored, replica, request };
  }

  @Post('deductions')
  @ApiOperation({
    summary:
      'Deduct a cart, all or nothing, with a strategy that supports carts (internal: called by the order app)',
  })
  @ApiChoice()
  @ApiLimit()
  @ApiDeductionId()
  @ApiFault()
  async deductAll(
    @Body() { lines }: CartDeductionBody,
    @ChosenStrategy() chosen: Chosen,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
    @Headers() headers: Record<string, string | undefined>,
  ): Promise<CartDeductionAnswer> {
    const by = { request, dedupKey: readDeductionId(headers) };
    const movements = await this.deductions.deductAll(lines, by, chosen, faults);
    const { strategy, options, ignored } = chosen;
    return {
      lines: movements.map(({ balance, delta, before, after }) => ({
        sku: balance,
        quantity: -delta,
        before,
        after,
      })),
      strategy: strategy.name,
      options,
      ignored,
      replica: movements[0]?.replica ?? '',
      request,
    };
  }

  @Post('deductions/:id/closing')
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Cancel a deduction unless it was made, and return its effect: for an unfinished order (internal)',
  })
  @ApiChoice()
  @ApiLimit()
  @ApiFault()
  close(
    @Param() { id }: CancellationParams,
    @Body() { lines }: CartDeductionBody,
    @ChosenStrategy() chosen: Chosen,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<Closed> {
    return this.deductions.close(id, lines, request, chosen, faults);
  }
}
