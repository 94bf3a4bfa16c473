export { ApiChoice, ApiFault } from './api-choice';
export { serve } from './bootstrap';
export { readChosen, type Chosen } from './chosen';
export { HealthController, READINESS, type Readiness } from './health';
export { ProcessController, type ProcessLook } from './lab/process.controller';
export { readHistory } from './lab/read-history';
export { cartLine, pingDatabase, RequestRecorder } from './lab/request-recorder';
export { problem, problemOf, ProblemError, type Problem } from './problem';
export { lines, page, quantity, ReconcileBody, ResetBody, sku, SkuParams } from './schemas';
