import { Ledger, type BalanceTotals, type MovementRow, type SegmentRow } from '#lab/balance';
import { CLIENT, page } from '#lab/http';
import type { Component, DecisionLine } from '#lab/step';
import { Get, Header, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { LabOperations } from './lab';
import type { RemainingLock } from './lock-inspectors';

const id = z.string().regex(/^[\w.-]{1,64}$/, 'an id has 1 to 64 letters, digits, ".", "_" or "-"');
class IdParams extends createZodDto(z.strictObject({ id })) {}
const client = z
  .string()
  .regex(CLIENT, "a client has 1 to 64 letters, digits, spaces, or any of . : @ _ ' -");
class ClientParams extends createZodDto(z.strictObject({ client })) {}
class PageQuery extends createZodDto(z.strictObject(page)) {}

/**
 * Read endpoints of the lab on an app's balances. An app's controller adds its path and its reset. It exists only when the
 * lab is enabled, and only the lab address routes to it.
 */
export abstract class BalanceLabController {
  constructor(
    protected readonly lab: LabOperations,
    protected readonly ledger: Ledger,
  ) {}

  /** Id of the balance of the app's object `id`. */
  protected abstract balanceOf(id: string): string;

  @Get('totals/:id')
  @ApiOperation({ summary: 'A balance and the sum of its committed movements, read at one moment' })
  totals(@Param() { id }: IdParams): Promise<BalanceTotals> {
    return this.ledger.totals(this.balanceOf(id));
  }

  @Get('segments/:id')
  @ApiOperation({ summary: 'The segments of a balance; empty: it is not split' })
  segments(@Param() { id }: IdParams): Promise<SegmentRow[]> {
    return this.ledger.segments(this.balanceOf(id));
  }

  @Get('locks/:id')
  @ApiOperation({ summary: 'The current locks of a balance' })
  locks(@Param() { id }: IdParams): Promise<RemainingLock[]> {
    return this.lab.locks(this.balanceOf(id));
  }

  @Get('movements/:id')
  @ApiOperation({ summary: 'The movements of a balance since its last reset, in the order of their inserts' })
  movements(@Param() { id }: IdParams, @Query() range: PageQuery): Promise<MovementRow[]> {
    return this.ledger.movements(this.balanceOf(id), range);
  }

  @Get('history/:id')
  @Header('Content-Type', 'application/jsonl')
  @ApiOperation({
    summary:
      'The history of a balance since its last reset: one JSON object per line, from all replicas, ordered by time',
  })
  async history(@Param() { id }: IdParams): Promise<StreamableFile> {
    return new StreamableFile(await this.lab.history(this.balanceOf(id)));
  }

  @Get('decisions/:client')
  @ApiOperation({
    summary: 'The decisions of rate limiters about a client, from all replicas, ordered by time',
  })
  decisions(@Param() { client: name }: ClientParams): Promise<DecisionLine[]> {
    return this.lab.decisions(name);
  }

  @Get('components')
  @ApiOperation({ summary: 'The servers on demand that were started' })
  components(): readonly Component[] {
    return this.lab.components;
  }
}
