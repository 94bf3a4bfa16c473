import { readConfig } from '#lab/config';
import { accountDataSource } from './data-source';

/** Migrates the account schema, once, before the replicas start. */
async function migrate(): Promise<void> {
  const dataSource = await accountDataSource(readConfig(), 'migration').initialize();
  await dataSource.runMigrations({ transaction: 'each' });
  await dataSource.destroy();
}

void migrate();
