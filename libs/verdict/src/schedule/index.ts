export * from './history';
export { judgeSchedule, type ScheduleVerdict } from './judge';
export { isDataViolation, type ScheduleViolation, type ScheduleViolationKind } from './violation';
