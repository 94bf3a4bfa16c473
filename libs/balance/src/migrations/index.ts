import { BalanceAndMovement1700000000001 } from './1-balance-and-movement';
import { VersionAndFence1700000000003 } from './3-version-and-fence';
import { Segments1700000000007 } from './7-segments';
import { Once1700000000008 } from './8-once';
import { Operation1700000000009 } from './9-operation';

/** The migrations of a schema with balances; an app adds its own. The number in a name orders all of them. */
export const BALANCE_MIGRATIONS = [
  BalanceAndMovement1700000000001,
  VersionAndFence1700000000003,
  Segments1700000000007,
  Once1700000000008,
  Operation1700000000009,
];
