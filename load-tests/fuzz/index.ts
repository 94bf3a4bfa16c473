export { endpointsOf, isLab, type Endpoint, type OpenApi, type Parameter } from './document';
export { draw, type Drawing } from './draw';
export { exchange, type FuzzResponse } from './exchange';
export { PATH_ENCODINGS, FAULT_HEADERS, FORBIDDEN_FAULTS } from './malformed-input';
export { minimal } from './minimal';
export { toBytes, toCurl, type Addresses, type FuzzRequest, type Side } from './request';
export { runFuzz, type Finding, type FuzzPlan, type FuzzRun, type Subject } from './run';
export { changes, type State } from './state';
export { labOf, openSubject, type LabUnderFuzz } from './subject';
