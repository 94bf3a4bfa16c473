export { explore, type Explored, type Faults, type Options } from './explore';
export { CannotExplore, InvariantViolated } from './errors';
export { startServers, type Servers } from './servers';
export type {
  ActorFunction,
  ActorInProcess,
  ActorOutcome,
  Addresses,
  Connect,
  Invariant,
  Isolation,
  SubjectDefinition,
} from '#lab/subject';
