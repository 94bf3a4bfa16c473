export * from './etcd';
export * from './gateway';
export * from './lock-folder';
export * from './redis';
export * from './redis-cluster';
export { lockCommandNamed, nameScript } from './redis-command';
export * from './servers';
export * from './sql';
export * from './zookeeper';
