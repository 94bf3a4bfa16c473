export { ActionTarget } from './action-target';
export { GUARD_ROWS, type GuardRow } from './rows';
export { runGuard, type GuardRun } from './run-guard';
