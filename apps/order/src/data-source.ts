import type { Config } from '#lab/config';
import { CONNECTING, SteppedDataSource } from '#lab/step';
import { Orders1700000000001 } from './migrations/1-orders';
import { OrderLines1700000000002 } from './migrations/2-order-lines';
import { Placement1700000000003 } from './migrations/3-placement';

export const orderDataSource = (
  { mysqlUrl, orderDatabase }: Config,
  as: keyof typeof CONNECTING = 'replica',
): SteppedDataSource =>
  new SteppedDataSource({
    ...CONNECTING[as],
    url: mysqlUrl,
    database: orderDatabase,
    // no strategy runs here: orders compare single rows, and gap locks would make orders of other buyers wait or deadlock
    isolation: 'READ COMMITTED',
    migrations: [Orders1700000000001, OrderLines1700000000002, Placement1700000000003],
  });
