export { median } from './median';
export { percentile } from './percentile';
