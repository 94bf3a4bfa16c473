export { Balances, BalanceTransaction } from './balances';
export { SoldOut, UnknownBalance, valueAfter, type Change, type Movement } from './change';
export { Ledger, type BalanceRow, type MovementRow } from './ledger';
export { BalanceAndMovement1700000000001 } from './migrations/1-balance-and-movement';
