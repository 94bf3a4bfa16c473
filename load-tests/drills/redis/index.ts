import type { Drill } from '../drill';
import { CLUSTER } from './cluster';
import { FAILOVER } from './failover';
import { FAILOVER_REPLICATED } from './failover-replicated';
import { FENCES } from './fences';
import { LOST_VOTER } from './lost-voter';
import { SENTINEL } from './sentinel';
import { SPLIT_BRAIN } from './split-brain';

/** Locks in Redis when its servers fail. */
export const REDIS: readonly Drill[] = [
  ...FAILOVER,
  ...FAILOVER_REPLICATED,
  ...LOST_VOTER,
  ...FENCES,
  ...SPLIT_BRAIN,
  ...SENTINEL,
  ...CLUSTER,
];
