import type { Config } from '#lab/config';
import { SteppedDataSource } from '#lab/step';
import { Orders1700000000001 } from './migrations/1-orders';
import { OrderLines1700000000002 } from './migrations/2-order-lines';

export const orderDataSource = ({ mysqlUrl, orderDatabase }: Config): SteppedDataSource =>
  new SteppedDataSource({
    url: mysqlUrl,
    database: orderDatabase,
    migrations: [Orders1700000000001, OrderLines1700000000002],
  });
