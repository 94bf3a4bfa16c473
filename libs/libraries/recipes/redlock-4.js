// redlock 4.2.0 with its defaults, as in its README: https://github.com/mike-marcacci/node-redlock/tree/v4.2.0#readme
const Redlock = require('redlock');

const RETRY_DELAY_MS = 200; // the default

exports.about = {
  package: 'redlock',
  options: 'defaults: one lease, no renewal',
  text: 'Takes the lock once for its whole lease: an `unlock` compares the token, nothing renews the lease and nothing tells the holder that it is over. Work that outlives the lease, a pause, and a restart of Redis therefore give two holders.',
  issues: ['https://github.com/mike-marcacci/node-redlock/issues/73'],
};

exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const redlock = new Redlock([redis], { retryCount: Math.ceil(waitMs / RETRY_DELAY_MS) });
    try {
      return await redlock.lock(resource, leaseMs);
    } catch (error) {
      if (error instanceof Redlock.LockError) return undefined;
      throw error;
    }
  },
  release: (lock) => lock.unlock(),
});
