export { judgeEffects, type EffectViolation, type ToldDone } from './judge';
export { judgeActionLoad, type ActionEvidence, type ActionVerdict } from './judge-load';
