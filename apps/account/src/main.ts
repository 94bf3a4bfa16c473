import 'reflect-metadata';
import { readConfig } from '#lab/config';
import { serve } from '#lab/http';
import { accountModule } from './account.module';

const config = readConfig();
void serve(accountModule(config), 'Accounts', config, {
  limited: true,
  streamed: { type: 'application/x-ndjson', route: '/accounts/:id/imports' },
});
