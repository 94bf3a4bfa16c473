export * from './disturbed';
export * from './run';
export * from './time';
