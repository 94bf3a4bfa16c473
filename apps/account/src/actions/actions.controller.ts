import { ApiFault, RequestFaults, RequestId } from '#lab/http';
import type { UseName } from '#lab/guard';
import type { Fault } from '#lab/step';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { ActionsService, type ActionAnswer } from './actions.service';
import { ApiGuard } from './api-guard';
import { RequestedGuard, type ChosenGuard } from './chosen-guard';

const key = z.string().regex(/^[\w.-]{1,48}$/, 'a key has 1 to 48 letters, digits, ".", "_" or "-"');
class KeyParams extends createZodDto(z.strictObject({ key })) {}

/** The keys of actions whose client chooses none. */
const JOURNAL = 'journal';
const NEXT = 'next';

/** Uses of locks other than the stock: each action runs under the guard that its request names. */
@ApiTags('actions')
@Controller()
export class ActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Post('orders/:key/notifications')
  @ApiOperation({ summary: 'Send one text message for an order' })
  @ApiGuard('notification')
  @ApiFault()
  notify(
    @Param() { key: order }: KeyParams,
    @RequestedGuard() guard: ChosenGuard,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<ActionAnswer> {
    return this.act('notification', order, request, guard, faults);
  }

  @Post('forms/:key/submissions')
  @ApiOperation({ summary: 'Store a form that a user submits, once' })
  @ApiGuard('submission')
  @ApiFault()
  submit(
    @Param() { key: form }: KeyParams,
    @RequestedGuard() guard: ChosenGuard,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<ActionAnswer> {
    return this.act('submission', form, request, guard, faults);
  }

  @Get('pages/:key')
  @ApiOperation({ summary: 'A page from the cache, built when it has expired' })
  @ApiGuard('page')
  @ApiFault()
  read(
    @Param() { key: page }: KeyParams,
    @RequestedGuard() guard: ChosenGuard,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<ActionAnswer> {
    return this.act('page', page, request, guard, faults);
  }

  @Get('coupons/:key')
  @ApiOperation({ summary: 'The coupon with a code, or null: a client guesses codes' })
  @ApiGuard('coupon')
  @ApiFault()
  coupon(
    @Param() { key: code }: KeyParams,
    @RequestedGuard() guard: ChosenGuard,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<ActionAnswer> {
    return this.act('coupon', code, request, guard, faults);
  }

  @Post('catalogues/:key/warm-ups')
  @ApiOperation({ summary: 'Put all pages of a catalogue into the cache' })
  @ApiGuard('warm-up')
  @ApiFault()
  warmUp(
    @Param() { key: catalogue }: KeyParams,
    @RequestedGuard() guard: ChosenGuard,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<ActionAnswer> {
    return this.act('warm-up', catalogue, request, guard, faults);
  }

  @Post('order-numbers')
  @ApiOperation({ summary: 'A number that no other order has' })
  @ApiGuard('order-number')
  @ApiFault()
  number(
    @RequestedGuard() guard: ChosenGuard,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<ActionAnswer> {
    return this.act('order-number', NEXT, request, guard, faults);
  }

  @Post('jobs/:key/runs')
  @ApiOperation({ summary: 'Run a scheduled job once in its period' })
  @ApiGuard('job')
  @ApiFault()
  run(
    @Param() { key: period }: KeyParams,
    @RequestedGuard() guard: ChosenGuard,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<ActionAnswer> {
    return this.act('job', period, request, guard, faults);
  }

  @Post('journal/entries')
  @ApiOperation({ summary: 'Write to a journal that only the elected leader may write' })
  @ApiGuard('leader')
  @ApiFault()
  write(
    @RequestedGuard() guard: ChosenGuard,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<ActionAnswer> {
    return this.act('leader', JOURNAL, request, guard, faults);
  }

  @Post('messages/consumptions')
  @ApiOperation({ summary: 'Receive one message of a stream and apply it' })
  @ApiGuard('consumption')
  @ApiFault()
  consume(
    @RequestedGuard() guard: ChosenGuard,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() request: string,
  ): Promise<ActionAnswer> {
    return this.act('consumption', NEXT, request, guard, faults);
  }

  private act(
    use: UseName,
    about: string,
    request: string,
    guard: ChosenGuard,
    faults: readonly Fault[],
  ): Promise<ActionAnswer> {
    return this.actions.act(use, about, request, guard, faults);
  }
}
