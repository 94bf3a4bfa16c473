export * from './etcd';
export * from './lock-folder';
export * from './redis';
export * from './redis-cluster';
export { nameScript } from './redis-command';
export * from './servers';
export * from './sql';
export * from './zookeeper';
