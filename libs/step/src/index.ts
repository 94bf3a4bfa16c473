export * from './clock';
export * from './errors';
export * from './failpoint';
export * from './history';
export * from './recorder';
export * from './redis';
export * from './sql';
export * from './step';
