export { hostModule, type HostOptions } from './host.module';
export { Lab } from './lab';
export type { LockLeft } from './lock-shelves';
export { Toolbox } from './toolbox';
