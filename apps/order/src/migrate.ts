import { readConfig } from '#lab/config';
import { orderDataSource } from './data-source';

/** Migrates the order schema, once, before the replicas start. */
async function migrate(): Promise<void> {
  const dataSource = await orderDataSource(readConfig(), 'migration').initialize();
  await dataSource.runMigrations({ transaction: 'each' });
  await dataSource.destroy();
}

void migrate();
