// @sesamecare-oss/redlock 1.4.0 with `using`, which extends the lock and signals a failed extension:
// https://github.com/sesamecare/redlock#usage
const { Redlock, ExecutionError } = require('@sesamecare-oss/redlock');

const RETRY_DELAY_MS = 200; // the default

exports.about = {
  package: '@sesamecare-oss/redlock',
  options: '`using`: automatic extension and abort signal',
  text: '`using` extends the lock 500 ms before its end and aborts a signal when it cannot. A pause stops the extension and the signal alike, so that the holder resumes with an expired lock. The expiry of the first lease is counted from before the first attempt: a lock that was waited for longer than its lease cannot be extended.',
  issues: [
    'https://github.com/mike-marcacci/node-redlock/issues/296',
    'https://github.com/mike-marcacci/node-redlock/issues/299',
    'https://github.com/mike-marcacci/node-redlock/pull/369',
  ],
};

exports.createLock = ({ redis }) => {
  // its scripts select database 0 by default
  const redlock = new Redlock([redis], { db: redis.options.db });
  return {
    /** `using` runs a routine under the lock: here the routine ends when the lock is released. */
    acquire: (resource, { leaseMs, waitMs }) =>
      new Promise((obtained, failed) => {
        const retryCount = Math.ceil(waitMs / RETRY_DELAY_MS);
        const all = redlock.using([resource], leaseMs, { retryCount }, (signal) => {
          return new Promise((finish) => {
            obtained({
              signal,
              release: () => {
                finish();
                return all;
              },
            });
          });
        });
        all.catch((error) => (error instanceof ExecutionError ? obtained(undefined) : failed(error)));
      }),
    release: (handle) => handle.release(),
  };
};
