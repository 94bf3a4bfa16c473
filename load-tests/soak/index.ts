export { ALL_KINDS, eligible } from './kinds';
export { CUT_OFF, planSoak, type SoakPlan } from './plan';
export { runSoak, type SoakRun } from './run-soak';
