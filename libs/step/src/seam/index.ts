export * from './auto-reset-event';
export * from './clock';
export * from './count';
export * from './errors';
export * from './failpoint';
export * from './history';
export * from './recorder';
export * from './step';
