// @huangang/nestjs-simple-redis-lock 0.7.1, the decorator: https://github.com/huangang/nestjs-simple-redis-lock#2-example-by-using-decorator
const { RedisLock, RedisLockService } = require('@huangang/nestjs-simple-redis-lock');

const RETRY_DELAY_MS = 100; // the default

exports.about = {
  package: '@huangang/nestjs-simple-redis-lock',
  options: '`@RedisLock`, which runs a method of a Nest service under a lock: one lease, no renewal',
  text: 'One token for a process, and `unlock` in `finally`, also when the lock was not obtained: a request that times out removes the lock of another request of its process. The decorator does not await the release: the next request may find the lock taken after the method has returned. Nothing renews the lease.',
  issues: [],
};

let token; // Nest makes one service for each process: its requests share the token

exports.createLock = ({ redis }) => ({
  /** The decorator locks a method: here it ends when the lock is released. */
  acquire: (resource, { leaseMs, waitMs }) =>
    new Promise((obtained, failed) => {
      const service = new RedisLockService({ client: redis });
      service.uuid = token ??= service.uuid;
      const job = { service, run: () => new Promise((finish) => obtained(() => (finish(), done))) };
      const descriptor = { value: job.run };
      RedisLock(
        resource,
        leaseMs,
        RETRY_DELAY_MS,
        Math.ceil(waitMs / RETRY_DELAY_MS),
      )(job, 'run', descriptor);
      const done = descriptor.value.call(job);
      done.catch((error) => (/timed out$/.test(error.message) ? obtained(undefined) : failed(error)));
    }),
  release: (finish) => finish(),
});
