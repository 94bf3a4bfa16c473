export * from './actor';
export * from './actor-task';
export * from './idle';
export * from './realm';
export * from './sell';
export * from './stray-steps';
export * from './virtual-clock';
export * from './virtual-date';
