import { BALANCE_MIGRATIONS } from '#lab/balance';
import type { Config } from '#lab/config';
import { LOCK_MIGRATIONS } from '#lab/locks';
import { CONNECTING, SteppedDataSource } from '#lab/step';
import { Product1700000000002 } from './migrations/2-product';

export const inventoryDataSource = (
  { mysqlUrl, inventoryDatabase }: Config,
  as: keyof typeof CONNECTING = 'replica',
): SteppedDataSource =>
  new SteppedDataSource({
    ...CONNECTING[as],
    url: mysqlUrl,
    database: inventoryDatabase,
    migrations: [...BALANCE_MIGRATIONS, ...LOCK_MIGRATIONS, Product1700000000002],
  });
