import { Ledger, type MovementRow, type SegmentRow } from '#lab/balance';
import { page } from '#lab/http';
import type { Component } from '#lab/step';
import { Get, Header, Inject, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { LabOperations } from './lab';
import type { RemainingLock } from './lock-inspectors';

const id = z.string().regex(/^[\w.-]{1,64}$/, 'an id has 1 to 64 letters, digits, ".", "_" or "-"');
class IdParams extends createZodDto(z.strictObject({ id })) {}
class PageQuery extends createZodDto(z.strictObject(page)) {}

/**
 * What the lab may look at of an app's balances. An app's controller adds its path and how its balances are set anew.
 * It exists only when the lab is enabled, and is routed only by the lab address.
 */
export abstract class BalanceLabController {
  constructor(
    @Inject(LabOperations) protected readonly lab: LabOperations,
    @Inject(Ledger) protected readonly ledger: Ledger,
  ) {}

  /** The balance of what the app calls `id`. */
  protected abstract balanceOf(id: string): string;

  @Get('segments/:id')
  @ApiOperation({ summary: 'The rows over which a balance is split; none: it is not' })
  segments(@Param() { id }: IdParams): Promise<SegmentRow[]> {
    return this.ledger.segments(this.balanceOf(id));
  }

  @Get('locks/:id')
  @ApiOperation({ summary: 'The locks of a balance that exist now' })
  locks(@Param() { id }: IdParams): Promise<RemainingLock[]> {
    return this.lab.locks(this.balanceOf(id));
  }

  @Get('movements/:id')
  @ApiOperation({ summary: 'The movements of a balance since its last reset, in the order of their inserts' })
  movements(@Param() { id }: IdParams, @Query() wanted: PageQuery): Promise<MovementRow[]> {
    return this.ledger.movements(this.balanceOf(id), wanted);
  }

  @Get('history/:id')
  @Header('Content-Type', 'application/jsonl')
  @ApiOperation({
    summary:
      'What was recorded of a balance since its last reset: one JSON object per line, of all replicas, by time',
  })
  async history(@Param() { id }: IdParams): Promise<StreamableFile> {
    return new StreamableFile(await this.lab.history(this.balanceOf(id)));
  }

  @Get('components')
  @ApiOperation({ summary: 'The servers on demand that this lab has' })
  components(): readonly Component[] {
    return this.lab.components;
  }
}
