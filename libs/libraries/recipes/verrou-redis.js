// @verrou/core 0.5.2 with the Redis store and its defaults: https://verrou.dev/docs/quick-setup
const { Verrou } = require('@verrou/core');
const { redisStore } = require('@verrou/core/drivers/redis');

exports.about = {
  package: '@verrou/core',
  options: 'Redis store, defaults: one lease, no renewal',
  text: 'SET NX PX with an owner, and a release that compares it. Nothing renews the lease. A holder whose lease is over finds out by the error of `release`, which comes after the write.',
  issues: [],
};

exports.createLock = ({ redis }) => {
  const verrou = new Verrou({
    default: 'redis',
    stores: { redis: { driver: redisStore({ connection: redis }) } },
  });
  return {
    async acquire(resource, { leaseMs, waitMs }) {
      const lock = verrou.createLock(resource, leaseMs);
      const isObtained =
        waitMs === 0 ? lock.acquireImmediately() : lock.acquire({ retry: { timeout: waitMs } });
      return (await isObtained) ? lock : undefined;
    },
    release: (lock) => lock.release(),
  };
};
