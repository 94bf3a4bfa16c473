export * from './execution';
export * from './explorer';
export * from './tally';
export * from './random-walk';
export * from './worker-pool';
