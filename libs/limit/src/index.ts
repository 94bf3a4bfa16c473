export { addLimiters, fileOfLimiter, findLimiter, LIMITERS, UnknownLimiter } from './catalogue';
export type {
  Decision,
  Limit,
  LimitCircumstance,
  Limiter,
  LimiterTools,
  LimitExpectation,
  LimitViolationKind,
} from './contract';
export { BurstTooSmall, limitOf, limitSchema, LIMIT_OPTION_NAMES, ON_ERROR, type OnError } from './options';
export { limitKey } from './shared/limit-key';
export { ProcessMemory } from './shared/process-memory';
