export * from './budget';
export * from './faults';
