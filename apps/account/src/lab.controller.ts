import { Ledger } from '#lab/balance';
import { BalanceLabController, LabOperations } from '#lab/host';
import { ApiChoice, ApiFault, ChosenStrategy, RequestFaults, type Chosen } from '#lab/http';
import type { Fault } from '#lab/step';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { balanceOf } from './account-errors';
import { AccountsService, type Account } from './accounts.service';
import { ScanSettings } from './scan-settings';
import { ScanService, type ScanResult } from './scan.service';
import { ReconcileBody, ResetBody, ScanBody } from './schemas';

/** The settings of the scan. */
interface ScanAnswer {
  readonly everyMs: number;
  readonly strategy: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The result of a reconciliation. */
interface Reconciliation {
  readonly account: string;
  /** Minor units by which each strategy's count changed. */
  readonly changed: Readonly<Record<string, number>>;
}

/** Exists only when the lab is enabled; only the lab address routes to it. */
@ApiTags('lab')
@Controller('lab/account')
export class LabController extends BalanceLabController {
  constructor(
    lab: LabOperations,
    ledger: Ledger,
    private readonly accounts: AccountsService,
    private readonly scan: ScanService,
    private readonly settings: ScanSettings,
  ) {
    super(lab, ledger);
  }

  protected balanceOf(account: string): string {
    return balanceOf(account);
  }

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reset an account: sets its balance and deletes its entries, pending entries, imports and locks',
  })
  async reset(@Body() { account, balanceMinor }: ResetBody): Promise<Account> {
    await this.lab.reset(balanceOf(account), balanceMinor, () => this.accounts.reset(account, balanceMinor));
    return this.accounts.find(account);
  }

  @Post('reconcile')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reconcile the counts that strategies keep outside of the database with it, after a crash',
  })
  async reconcile(@Body() { account }: ReconcileBody): Promise<Reconciliation> {
    await this.accounts.assertKnown(account);
    return { account, changed: await this.lab.reconcile(balanceOf(account)) };
  }

  @Get('scan')
  @ApiOperation({ summary: 'How often each replica settles pending entries, and with which strategy' })
  async showScan(): Promise<ScanAnswer> {
    const { strategy, ...setting } = await this.settings.read();
    return { ...setting, strategy: strategy.name };
  }

  @Post('scan')
  @HttpCode(200)
  @ApiOperation({ summary: 'Set how often each replica settles pending entries, and with which strategy' })
  @ApiChoice()
  async setScan(
    @Body() { everyMs }: ScanBody,
    @ChosenStrategy() { strategy, options }: Chosen,
  ): Promise<ScanAnswer> {
    await this.settings.write({ everyMs, strategy, options });
    return this.showScan();
  }

  @Post('scan/run')
  @HttpCode(200)
  @ApiOperation({ summary: 'Settle all pending entries now, on the replica that receives the request' })
  @ApiChoice()
  @ApiFault('each fault fires once, in the first entry that reaches its step; faults of the app account only')
  runScan(@ChosenStrategy() chosen: Chosen, @RequestFaults() faults: readonly Fault[]): Promise<ScanResult> {
    return this.scan.run(chosen, faults);
  }
}
