// redlock 4.2.0, extended right before the write: "you can continue to extend the lock as long as you never let it expire",
// https://github.com/mike-marcacci/node-redlock/tree/v4.2.0#readme
const Redlock = require('redlock');

const RETRY_DELAY_MS = 200; // the default

exports.about = {
  package: 'redlock',
  options: '`extend` before the write',
  text: 'Extends the lease right before the write, and writes only when that succeeded: work that outlives the lease before that is refused. Time that passes between the answer and the commit (a pause, a slow database), and a restart of Redis, still give two holders: no check in the client can come after the write.',
  issues: ['https://github.com/mike-marcacci/node-redlock/issues/73'],
};

exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const redlock = new Redlock([redis], { retryCount: Math.ceil(waitMs / RETRY_DELAY_MS) });
    try {
      const lock = await redlock.lock(resource, leaseMs);
      return { lock, leaseMs };
    } catch (error) {
      if (error instanceof Redlock.LockError) return undefined;
      throw error;
    }
  },
  isHeld: ({ lock, leaseMs }) =>
    lock.extend(leaseMs).then(
      () => true,
      () => false,
    ),
  release: ({ lock }) => lock.unlock(),
});
