import type { Config } from '#lab/config';
import { hostModule } from '#lab/host';
import { ProcessController } from '#lab/http';
import { Module, type DynamicModule } from '@nestjs/common';
import { ActionsController } from './actions/actions.controller';
import { ActionsLabController } from './actions/actions-lab.controller';
import { ActionsService } from './actions/actions.service';
import { AccountsController } from './accounts.controller';
import { AccountsService } from './accounts.service';
import { accountDataSource } from './data-source';
import { EntriesService } from './entries.service';
import { Batches } from './imports/batches';
import { ImportsController } from './imports/imports.controller';
import { ImportsService } from './imports/imports.service';
import { LabController } from './lab.controller';
import { PendingEntries } from './pending-entries';
import { ScanSettings } from './scan-settings';
import { ScanService } from './scan.service';

@Module({})
class AccountModule {}

export const accountModule = (config: Config): DynamicModule => ({
  module: AccountModule,
  imports: [
    hostModule(config, {
      recorded: { app: 'account', reaches: ['account'], database: config.accountDatabase },
      dataSource: () => accountDataSource(config),
    }),
  ],
  controllers: [
    AccountsController,
    ImportsController,
    ActionsController,
    ...(config.labEnabled ? [LabController, ActionsLabController, ProcessController] : []),
  ],
  providers: [
    AccountsService,
    EntriesService,
    PendingEntries,
    Batches,
    ImportsService,
    ScanSettings,
    ScanService,
    ActionsService,
  ],
});
