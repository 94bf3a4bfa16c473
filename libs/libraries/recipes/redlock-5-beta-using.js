// redlock 5.0.0-beta.2 with `using`, which extends the lock and signals a failed extension:
// https://github.com/mike-marcacci/node-redlock/tree/v5.0.0-beta.2#usage
const { default: Redlock, ExecutionError } = require('redlock-beta');

const RETRY_DELAY_MS = 200; // the default

exports.about = {
  package: 'redlock',
  options: '`using`: automatic extension and abort signal',
  text: '`using` extends the lock 500 ms before its end and aborts a signal when it cannot. A restart of Redis gives two holders; most other circumstances were not searched completely. The expiry of the first lease is counted from before the first attempt: a lock that was waited for longer than its lease cannot be extended.',
  issues: [
    'https://github.com/mike-marcacci/node-redlock/issues/296',
    'https://github.com/mike-marcacci/node-redlock/issues/299',
    'https://github.com/mike-marcacci/node-redlock/pull/369',
  ],
};

exports.createLock = ({ redis }) => {
  const redlock = new Redlock([redis]);
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
