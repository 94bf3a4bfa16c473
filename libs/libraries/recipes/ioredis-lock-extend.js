// @microfleet/ioredis-lock 6.0.1, extended right before the write: https://github.com/microfleet/ioredis-lock#lockextendtime
const { createLock, LockAcquisitionError } = require('@microfleet/ioredis-lock');

const DELAY_MS = 50; // the default

exports.about = {
  package: '@microfleet/ioredis-lock',
  options: '`extend` before the write',
  text: '`extend` asks Redis whether the lock is still ours, right before the write: work that outlives the lease before that is refused. Time that passes between the answer and the commit (a pause, a slow database), and a restart of Redis, still give two holders: no check in the client can come after the write.',
  issues: ['https://github.com/danielstjules/redislock/issues/15'],
};

exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const lock = createLock(redis, { timeout: leaseMs, retries: Math.ceil(waitMs / DELAY_MS) });
    try {
      return await lock.acquire(resource);
    } catch (error) {
      if (error instanceof LockAcquisitionError) return undefined;
      throw error;
    }
  },
  isHeld: (lock) =>
    lock.extend().then(
      () => true,
      () => false,
    ),
  release: (lock) => lock.release(),
});
