export { EventStream, lastEventId } from './event-stream';
export { job, JobParams, type Job } from './job';
export { Jobs } from './jobs';
export { JobsController } from './jobs.controller';
export { type JobContext, type QueuedJob } from './queue';
