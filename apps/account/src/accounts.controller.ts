import {
  ApiChoice,
  ApiFault,
  ApiLimit,
  ChosenStrategy,
  RequestFaults,
  RequestId,
  type Chosen,
} from '#lab/http';
import type { Fault } from '#lab/step';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountsService, type Account, type EntryRow } from './accounts.service';
import { EntriesService } from './entries.service';
import { PendingEntries, type PendingRow } from './pending-entries';
import { AccountParams, EntryBody, PageQuery } from './schemas';

/** The response to an entry: the balance as this request read it, and the ignored options. Amounts in minor units. */
interface EntryAnswer {
  readonly account: string;
  readonly entry: string;
  readonly amountMinor: number;
  readonly beforeMinor: number;
  readonly afterMinor: number;
  readonly text?: string | undefined;
  readonly strategy: string;
  readonly options: Chosen['options'];
  readonly ignored: readonly string[];
  readonly replica: string;
}

@ApiTags('accounts')
@Controller('accounts')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly entries: EntriesService,
    private readonly pending: PendingEntries,
  ) {}

  @Get()
  @ApiLimit()
  @ApiOperation({ summary: 'All accounts: the balance, the sum of the entries, and whether they agree' })
  list(): Promise<Account[]> {
    return this.accounts.list();
  }

  @Get(':id')
  @ApiLimit()
  @ApiOperation({ summary: 'One account: the balance, the sum of the entries, and whether they agree' })
  find(@Param() { id }: AccountParams): Promise<Account> {
    return this.accounts.find(id);
  }

  @Get(':id/entries')
  @ApiLimit('headers')
  @ApiOperation({ summary: 'The entries of an account since its last reset, in the order of their inserts' })
  listEntries(@Param() { id }: AccountParams, @Query() page: PageQuery): Promise<EntryRow[]> {
    return this.accounts.entries(id, page);
  }

  @Post(':id/entries')
  @ApiLimit()
  @ApiOperation({ summary: 'Credit or debit an account with the chosen strategy' })
  @ApiChoice()
  @ApiFault()
  async enter(
    @Param() { id: account }: AccountParams,
    @Body() { amountMinor, text }: EntryBody,
    @ChosenStrategy() chosen: Chosen,
    @RequestFaults() faults: readonly Fault[],
    @RequestId() entry: string,
  ): Promise<EntryAnswer> {
    // before any lock: a fencing strategy would create a counter for an unknown account, which never expires
    await this.accounts.assertKnown(account);
    const { before, after, replica } = await this.entries.enter(
      { account, amountMinor, text, request: entry },
      chosen,
      faults,
    );
    const { strategy, options, ignored } = chosen;
    return {
      account,
      entry,
      amountMinor,
      beforeMinor: before,
      afterMinor: after,
      text,
      strategy: strategy.name,
      options,
      ignored,
      replica,
    };
  }

  @Get(':id/pending')
  @ApiLimit('headers')
  @ApiOperation({ summary: 'The pending entries of an account, with their states' })
  listPending(@Param() { id }: AccountParams, @Query() page: PageQuery): Promise<PendingRow[]> {
    return this.pending.list(id, page);
  }

  @Post(':id/pending')
  @ApiLimit()
  @HttpCode(202)
  @ApiOperation({ summary: 'Add a pending entry, which the next scan settles with the strategy of the scan' })
  addPending(@Param() { id }: AccountParams, @Body() body: EntryBody): Promise<PendingRow> {
    return this.pending.add(id, body);
  }
}
