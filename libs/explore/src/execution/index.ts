export * from './disturbed';
export * from './run';
export * from './time';
export { LOCK_SERVER_KINDS, whyUnreachable } from './step-gate';
