import type { Drill } from '../drill';
import { CLOCK_JUMP } from './clock-jump';
import { NETWORK_CUT } from './network-cut';
import { POWER_LOSS } from './power-loss';
import { RESTART } from './restart';
import { VOTER_RESTART } from './voter-restart';

/** Locks when a single Redis restarts, loses power, has its clock set, or cannot be reached. */
export const REDIS_ALONE: readonly Drill[] = [
  ...RESTART,
  ...POWER_LOSS,
  ...VOTER_RESTART,
  ...CLOCK_JUMP,
  ...NETWORK_CUT,
];
