export { Balances } from './balances';
export {
  Conflict,
  FencedOff,
  SoldOut,
  StockIsSplit,
  UnknownBalance,
  valueAfter,
  type Change,
  type Movement,
} from './change';
export type { Decision } from './decisions';
export { Ledger, type BalanceRow, type MovementRow, type SegmentRow } from './ledger';
export { LockRows, type LockRow } from './lock-rows';
export { BALANCE_MIGRATIONS } from './migrations';
export { shares, WHOLE_AMOUNT, type Segment, type SegmentWrite } from './segments';
export { BalanceTransaction } from './transaction';
