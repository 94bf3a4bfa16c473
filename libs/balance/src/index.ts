export { Balances } from './balances';
export {
  ChangeCancelled,
  Conflict,
  FencedOff,
  SoldOut,
  StockIsSplit,
  UnknownBalance,
  valueAfter,
  type Change,
  type Fence,
  type Movement,
} from './change';
export type { MadeChange } from './cancellations';
export {
  Ledger,
  MOVEMENTS_OF_OTHERS,
  type BalanceRow,
  type BalanceTotals,
  type MovementRow,
  type SegmentRow,
} from './ledger';
export { BALANCE_MIGRATIONS } from './migrations';
export { isDuplicate } from './record-movement';
export { shares, WHOLE_AMOUNT, type Segment, type SegmentWrite } from './segments';
export { BalanceTransaction, type Written } from './transaction';
