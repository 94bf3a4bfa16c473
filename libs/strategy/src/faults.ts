import type { Fault } from '#lab/step';
import type { Capability, Circumstance } from './contract';

/** The failures that a strategy may meet: the same names in schedules, load runs, soaks and the failure matrix. */
export type FaultName =
  | 'lapse'
  | 'kill'
  | 'host-down'
  | 'pause'
  | 'tick'
  | 'slow'
  | 'overrun'
  | 'cut'
  | 'in-flight'
  | 'lose-reply'
  | 'error'
  | 'flush'
  | 'lost-session'
  | 'server-down';

/** What is known of one failure, however it is injected. */
export interface FaultFacts {
  /** What happens when a schedule injects it (`--faults NAME:TIMES`). */
  readonly is: string;
  /** The actions of `x-fault` that inject it into a request; empty: only schedules, soaks and drills inject it. */
  readonly actions: readonly Fault['action']['kind'][];
  /** The capabilities that a strategy needs to sell correctly in spite of it. */
  readonly tests: readonly Capability[];
  /** The circumstances that it can cause, for which a strategy declares its violations under load. */
  readonly circumstances: readonly Circumstance[];
  /** It may end a lock while its holder is at work. */
  readonly endsLocks?: true;
  /** It may leave a lock behind when its holder is gone. */
  readonly leavesLocks?: true;
}

const HOLDER_OUTLIVES_LEASE: readonly Circumstance[] = [
  'paused-before-write',
  'paused-in-acquire',
  'work-outlives-lease',
];

/** Every failure: how requests inject it, which capabilities it tests, and what the catalogue expects of it. */
export const FAULTS: Readonly<Record<FaultName, FaultFacts>> = {
  lapse: {
    is: 'time advances to the end of a lease; timers that are due earlier fire first',
    actions: [],
    tests: ['survivesLapse', 'releasesOnlyItsOwn'],
    circumstances: [],
    endsLocks: true,
  },
  kill: {
    is: 'a process dies; the database rolls back, Redis keeps its keys',
    actions: ['kill'],
    tests: ['survivesDeadHolder', 'grantsOneLease'],
    circumstances: ['holder-killed', 'killed-then-reconciled'],
    leavesLocks: true,
  },
  'host-down': {
    is: 'the host of a process fails without closing a connection: the database keeps its transactions open',
    actions: [],
    tests: [],
    circumstances: [],
    leavesLocks: true,
  },
  pause: {
    is: 'a process and its timers are paused until after its lease, then it resumes',
    actions: ['pause', 'pause-until', 'block'],
    tests: ['survivesLapse'],
    circumstances: [...HOLDER_OUTLIVES_LEASE, 'paused-before-release'],
    endsLocks: true,
  },
  tick: {
    is: 'time advances to the next timer; its steps are interleaved with the others',
    actions: [],
    tests: [],
    circumstances: [],
    endsLocks: true,
  },
  slow: {
    is: 'the work takes longer than the lease; timers keep running',
    actions: ['delay'],
    tests: ['survivesSlowWork'],
    circumstances: ['work-outlives-lease'],
    endsLocks: true,
  },
  overrun: {
    is: 'a step takes longer than any watchdog renews; timers keep running',
    actions: [],
    tests: ['survivesSlowWork'],
    circumstances: [],
    endsLocks: true,
  },
  cut: {
    is: 'a process is cut off from Redis, ZooKeeper and etcd; it still reaches the database',
    actions: [],
    tests: ['survivesLapse', 'noticesLoss'],
    circumstances: HOLDER_OUTLIVES_LEASE,
    endsLocks: true,
    leavesLocks: true,
  },
  'in-flight': {
    is: 'a process dies; a statement that it has sent is executed later',
    actions: [],
    tests: [],
    circumstances: [],
    endsLocks: true,
    leavesLocks: true,
  },
  'lose-reply': {
    is: 'one command is executed, its reply is lost',
    actions: ['lose-reply'],
    tests: ['survivesFailedWrite'],
    circumstances: [],
    leavesLocks: true,
  },
  error: {
    is: 'one command fails without being executed',
    actions: ['error'],
    tests: ['survivesFailedWrite', 'survivesFailedRelease', 'failsClosed'],
    circumstances: ['release-fails'],
    leavesLocks: true,
  },
  flush: {
    is: 'a Redis restarts empty',
    actions: [],
    tests: ['survivesLapse'],
    circumstances: HOLDER_OUTLIVES_LEASE,
    endsLocks: true,
  },
  'lost-session': {
    is: 'the database ends the sessions of a process: it rolls back transactions and releases named locks',
    actions: [],
    tests: ['survivesFailedWrite'],
    circumstances: [],
    leavesLocks: true,
  },
  'server-down': {
    is: 'one of several servers of a strategy is unreachable for all processes',
    actions: [],
    tests: [],
    circumstances: ['server-down'],
    endsLocks: true,
  },
};

const NAMES = Object.keys(FAULTS) as FaultName[];

/** The faults with a property, for example those that may end a lock. */
export const faultsWith = (property: 'endsLocks' | 'leavesLocks'): readonly FaultName[] =>
  NAMES.filter((name) => FAULTS[name][property] === true);

/** The faults in spite of which a strategy with the capability sells correctly. */
export const faultsThatTest = (capability: Capability): readonly FaultName[] =>
  NAMES.filter((name) => FAULTS[name].tests.includes(capability));

/** The fault that an action of `x-fault` injects. */
export function faultOfAction(action: Fault['action']['kind']): FaultName {
  const found = NAMES.find((name) => FAULTS[name].actions.includes(action));
  if (found === undefined) throw new Error(`no fault has the action "${action}"`);
  return found;
}
