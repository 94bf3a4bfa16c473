import 'reflect-metadata';
import { readConfig } from '#lab/config';
import { serve } from '#lab/http';
import { addStrategiesOf } from '#lab/own';
import { accountModule } from './account.module';

const config = readConfig();
addStrategiesOf(config.strategyFiles);
void serve(accountModule(config), 'Accounts', config, {
  limited: true,
  streamed: { type: 'application/x-ndjson', route: '/accounts/:id/imports' },
});
