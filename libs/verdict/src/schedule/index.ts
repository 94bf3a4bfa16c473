export * from './history';
export { judgeSchedule, type ScheduleVerdict } from './judge';
export { mechanismOf } from './mechanism';
export { isRefusedWrite, protections, statementOf } from './protections';
export type { ScheduleViolation, ScheduleViolationKind } from './violation';
