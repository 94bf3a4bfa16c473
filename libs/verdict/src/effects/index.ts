export { judgeEffects, type EffectViolation, type AcknowledgedAction } from './judge';
export { judgeActionLoad, type ActionEvidence, type ActionVerdict } from './judge-load';
