// @verrou/core 0.5.2 with the Redis store, extended right before the write: https://verrou.dev/docs/api#lockextend
const { Verrou } = require('@verrou/core');
const { redisStore } = require('@verrou/core/drivers/redis');

exports.about = {
  package: '@verrou/core',
  options: 'Redis store, `extend` before the write',
  text: '`extend` asks Redis whether the lock is still ours, right before the write (`isExpired` would ask the local clock only): work that outlives the lease before that is refused. Time that passes between the answer and the commit (a pause, a slow database), and a restart of Redis, still give two holders: no check in the client can come after the write.',
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
    isHeld: (lock) =>
      lock.extend().then(
        () => true,
        () => false,
      ),
    release: (lock) => lock.release(),
  };
};
