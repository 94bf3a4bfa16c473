export { BalanceLabController } from './balance-lab.controller';
export { hostModule, type HostOptions } from './host.module';
export { LabOperations } from './lab';
export { CONFIG } from './tokens';
export { Toolbox } from './toolbox';
