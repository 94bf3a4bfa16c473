export { Balances } from './balances';
export {
  Conflict,
  FencedOff,
  SoldOut,
  UnknownBalance,
  valueAfter,
  type Change,
  type Movement,
} from './change';
export type { Decision } from './decisions';
export { Ledger, type BalanceRow, type MovementRow } from './ledger';
export { LockRows, type LockRow } from './lock-rows';
export { BALANCE_MIGRATIONS } from './migrations';
export { BalanceTransaction } from './transaction';
