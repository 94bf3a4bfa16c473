export { ActionTarget } from './action-target';
export { Gateway } from './gateway-fault';
export { faultLabel, GUARD_ROWS, type GuardRow } from './rows';
export { runGuard, type GuardLab, type GuardRun } from './run-guard';
