export * from './actor-connections';
export * from './lock-stores';
export * from './pub-sub-inbox';
export * from './pulse';
export * from './sessions';
export * from './setup';
export * from './sql-statements';
export * from './world';
