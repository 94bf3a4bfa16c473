// @microfleet/ioredis-lock 6.0.1 with its defaults: https://github.com/microfleet/ioredis-lock#readme
const { createLock, LockAcquisitionError } = require('@microfleet/ioredis-lock');

const DELAY_MS = 50; // the default

exports.about = {
  package: '@microfleet/ioredis-lock',
  options: 'defaults: one lease, no renewal',
  text: 'SET NX PX with a token, and a release that compares it. Nothing renews the lease and nothing tells the holder that it is over, except the error of its release, which comes after the write.',
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
  release: (lock) => lock.release(),
});
