export * from './execution';
export * from './explorer';
export * from './known-states';
export type { Node } from './node';
export * from './tally';
export { withTimeLimit } from './time-limit';
export * from './random-walk';
export * from './worker-pool';
