export { serve } from './bootstrap';
export { readChosen, type Chosen } from './chosen';
export { HealthController, READINESS, type Readiness } from './health';
export { readHistory } from './lab/read-history';
export { pingDatabase, Story } from './lab/story';
export { problem, problemOf, ProblemError, type Problem } from './problem';
export { page, quantity, ReconcileBody, ResetBody, sku, SkuParams } from './schemas';
