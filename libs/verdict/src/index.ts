export { leavesOutcomeOpen } from './load/answers';
export { judgeCarts, type BalanceVerdict, type CartReason, type CartsVerdict } from './load/carts';
export { balanceWords, kindOf, wordsOf, type BalanceKind, type BalanceWords } from './load/balance-words';
export {
  cartReasonInChinese,
  mechanismInChinese,
  protectionInChinese,
  reasonInChinese,
} from './load/chinese';
export type { LoadMechanism } from './load/mechanism';
export type { Reason } from './load/reason';
export type { DeadlockCycle } from './load/deadlock-cycles';
export {
  runsStrategies,
  type ClientAnswer,
  type Evidence,
  type RemainingLock,
  type Movement,
  type RemainingSegment,
} from './load/evidence';
export {
  judgeHolders,
  type ForeignRelease,
  type ForeignRenewal,
  type Overlap,
  type HoldInterval,
} from './load/holders';
export { judgeLoad, withoutForeignLocks, type LoadVerdict, type VerdictWord } from './load/judge';
export type { FiredFault } from './load/proof';
export type { Protection, Refusal } from './load/refusals';
export type { Duplicate } from './load/stock';
export { unfinished } from './load/unfinished';
export {
  judgeDrill,
  type DrillEvidence,
  type DrillMoment,
  type DrillReason,
  type DrillVerdict,
  type Fact,
} from './drill';
export * from './limit';
export {
  HARMS,
  MARKS,
  harmOf,
  worstFirst,
  worstHarm,
  type AnyViolationKind,
  type Harm,
  type Mark,
  markWords,
} from './mark';
export * from './effects';
export * from './schedule';
export { usesStock, writesStock } from './statements';
export * from './soak';
export { LANGUAGES, type Language } from './language';
export { checkChain, type ConfirmedSale, type Contradiction } from './chain';
