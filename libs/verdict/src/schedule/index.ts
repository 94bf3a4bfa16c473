export * from './history';
export { judgeActions } from './judge-actions';
export { judgeInvariants } from './judge-invariants';
export { judgeSchedule, type ScheduleVerdict } from './judge';
export { mechanismOf } from './mechanism';
export { isRefusedWrite, protections, statementOf } from './protections';
export { SOLD_TWICE, type ScheduleViolation, type ScheduleViolationKind } from './violation';
export { LATE_AFTER_WAITS } from './waiting';
export { judgeLimitSchedule } from './judge-limit';
