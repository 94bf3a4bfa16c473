export { judgeEffects, type EffectViolation, type ToldDone } from './judge';
