export * from './execution';
export * from './explorer';
export * from './tally';
export * from './walk';
export * from './worker-pool';
