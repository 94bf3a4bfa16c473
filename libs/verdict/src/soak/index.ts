export { slopesOf, type LifeSlope, type Sample } from './leaks';
export {
  judgeMinute,
  type MinuteEvidence,
  type MinuteVerdict,
  type ServerFault,
  type SoakBalance,
} from './minute';
export { judgeSoak, type SoakVerdict } from './soak';
