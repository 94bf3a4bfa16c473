import type { Drill } from '../drill';
import { LEADER_LOSS } from './leader-loss';
import { SESSION_END } from './session-end';

/** Sessions, leases and elections: ZooKeeper and etcd, standalone and as an ensemble of three on one machine. */
export const ENSEMBLES: readonly Drill[] = [...SESSION_END, ...LEADER_LOSS];
