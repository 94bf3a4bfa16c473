import { BalanceLock1700000000004 } from './4-balance-lock';
import { LockExpiry1700000000005 } from './5-lock-expiry';
import { Decision1700000000006 } from './6-decision';

/** The migrations of the tables that strategies use to protect balances. The number in a name orders all migrations. */
export const LOCK_MIGRATIONS = [BalanceLock1700000000004, LockExpiry1700000000005, Decision1700000000006];
