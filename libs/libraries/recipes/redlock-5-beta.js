// redlock 5.0.0-beta.2 with its defaults: https://github.com/mike-marcacci/node-redlock/tree/v5.0.0-beta.2#usage ("acquired and
// released directly")
const { default: Redlock, ExecutionError } = require('redlock-beta');

const RETRY_DELAY_MS = 200; // the default

exports.about = {
  package: 'redlock',
  options: 'defaults: `acquire`, no renewal',
  text: 'As 4.2.0: one lease, without renewal or loss signal. `acquire` computes the expiry from before its first attempt and returns a lock without checking it, so that a lock obtained after a long wait may say that it has expired.',
  issues: [
    'https://github.com/mike-marcacci/node-redlock/issues/296',
    'https://github.com/mike-marcacci/node-redlock/issues/313',
  ],
};

exports.createLock = ({ redis }) => {
  const redlock = new Redlock([redis]);
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
