export type { LimitEvidence, LimitVerdict, MostAdmitted } from './evidence';
export { judgeLimit } from './judge';
export { mostInAnyWindow } from './windows';
