// @sesamecare-oss/redlock 1.4.0 with its defaults: https://github.com/sesamecare/redlock#usage ("acquired and
// released directly")
const { Redlock, ExecutionError } = require('@sesamecare-oss/redlock');

const RETRY_DELAY_MS = 200; // the default

exports.about = {
  package: '@sesamecare-oss/redlock',
  options: 'defaults: `acquire`, no renewal',
  text: 'As 4.2.0: one lease, without renewal or loss signal. `acquire` computes the expiry from before its first attempt and returns a lock without checking it, so that a lock obtained after a long wait may say that it has expired.',
  issues: [
    'https://github.com/mike-marcacci/node-redlock/issues/296',
    'https://github.com/mike-marcacci/node-redlock/issues/313',
  ],
};

exports.createLock = ({ redis }) => {
  // its scripts select database 0 by default
  const redlock = new Redlock([redis], { db: redis.options.db });
  return {
    async acquire(resource, { leaseMs, waitMs }) {
      try {
        return await redlock.acquire([resource], leaseMs, { retryCount: Math.ceil(waitMs / RETRY_DELAY_MS) });
      } catch (error) {
        if (error instanceof ExecutionError) return undefined;
        throw error;
      }
    },
    release: (lock) => lock.release(),
  };
};
