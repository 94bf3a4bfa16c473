import { BALANCE_MIGRATIONS } from '#lab/balance';
import type { Config } from '#lab/config';
import { GUARD_MIGRATIONS } from '#lab/guard';
import { LOCK_MIGRATIONS } from '#lab/locks';
import { CONNECTING, SteppedDataSource } from '#lab/step';
import { Accounts1700000001001 } from './migrations/1-accounts';

export const accountDataSource = (
  { mysqlUrl, accountDatabase }: Config,
  as: keyof typeof CONNECTING = 'replica',
): SteppedDataSource =>
  new SteppedDataSource({
    ...CONNECTING[as],
    url: mysqlUrl,
    database: accountDatabase,
    migrations: [...BALANCE_MIGRATIONS, ...LOCK_MIGRATIONS, Accounts1700000001001, ...GUARD_MIGRATIONS],
  });
