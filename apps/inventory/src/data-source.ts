import { BalanceAndMovement1700000000001 } from '#lab/balance';
import type { Config } from '#lab/config';
import { SteppedDataSource } from '#lab/step';
import { Product1700000000002 } from './migrations/2-product';

export const inventoryDataSource = ({ mysqlUrl, inventoryDatabase }: Config): SteppedDataSource =>
  new SteppedDataSource({
    url: mysqlUrl,
    database: inventoryDatabase,
    migrations: [BalanceAndMovement1700000000001, Product1700000000002],
  });
