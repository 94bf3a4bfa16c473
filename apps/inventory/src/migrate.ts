import { readConfig } from '#lab/config';
import { inventoryDataSource } from './data-source';

/** Migrates the inventory schema, once, before the replicas start. */
async function migrate(): Promise<void> {
  const dataSource = await inventoryDataSource(readConfig(), 'migration').initialize();
  await dataSource.runMigrations({ transaction: 'each' });
  await dataSource.destroy();
}

void migrate();
