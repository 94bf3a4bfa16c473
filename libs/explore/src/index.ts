export { finishAll } from './ending';
export { Run, type Setup } from './run';
export { EXPLORE_OPTIONS, Schedule, after, before, type Mark, type Player } from './schedule';
export { VirtualClock } from './virtual-clock';
export { BALANCE, World, type WorldOptions } from './world';
