export { Balances, BalanceTransaction } from './balances';
export {
  Conflict,
  FencedOff,
  SoldOut,
  UnknownBalance,
  valueAfter,
  type Change,
  type Movement,
} from './change';
export { Ledger, type BalanceRow, type MovementRow } from './ledger';
export { BALANCE_MIGRATIONS } from './migrations';
