export { countCommands, type CommandCounts } from './command-counter';
export { PEERS } from './peers';
export { ALL_LIMITERS, nameOf, rowsOf, titleOf, type LimitRow } from './rows';
export { inventoryWithPeers, LimitRunner, type LimitRun } from './run-limits';
