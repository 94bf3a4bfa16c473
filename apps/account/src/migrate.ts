import { readConfig } from '#lab/config';
import { accountDataSource } from './data-source';

/** Brings the schema of the accounts up to date, once, before the replicas start. */
async function migrate(): Promise<void> {
  const dataSource = await accountDataSource(readConfig()).initialize();
  await dataSource.runMigrations({ transaction: 'each' });
  await dataSource.destroy();
}

void migrate();
