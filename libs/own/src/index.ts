export { commonJsOf } from './common-js';
export type { AcquireOptions, Clients, CreateLock, OwnLock, OwnStrategy } from './contract';
export { addStrategiesOf } from './load-file';
export { declaresLacks, nameOf, OWN, NotVerifiable, strategyOf, subjectIn } from './read-exports';
export { actorsOf, isSubject, NotASubject, readDefinition, subjectNamed } from './read-subject';
export type { OwnSubject, SubjectClients } from './subject-contract';
