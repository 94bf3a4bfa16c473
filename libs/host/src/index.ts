export { BalanceLabController } from './balance-lab.controller';
export { hostModule, type HostOptions } from './host.module';
export { Lab } from './lab';
export { CONFIG } from './tokens';
export { Toolbox } from './toolbox';
