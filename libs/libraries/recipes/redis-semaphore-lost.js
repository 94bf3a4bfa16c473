// redis-semaphore 5.8.0, Mutex with `onLockLost`, and `isAcquired` asked before the write:
// https://github.com/swarthy/redis-semaphore#example-with-lost-lock-handling
const { Mutex } = require('redis-semaphore');

exports.about = {
  package: 'redis-semaphore',
  options: 'Mutex with `onLockLost` and `isAcquired`',
  text: 'As above, and a lost lock aborts the request instead of the process; a refresh that fails because Redis cannot be reached still ends the process. `isAcquired` is what the last refresh has found: after a pause it says true until the next refresh is answered.',
  issues: [
    'https://github.com/swarthy/redis-semaphore/issues/9',
    'https://github.com/swarthy/redis-semaphore/issues/24',
  ],
};

exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const lost = new AbortController();
    const mutex = new Mutex(redis, resource, {
      lockTimeout: leaseMs,
      acquireTimeout: Math.max(1, waitMs), // 0 would try not even once
      onLockLost: (error) => lost.abort(error),
    });
    return (await mutex.tryAcquire()) ? { mutex, signal: lost.signal } : undefined;
  },
  isHeld: ({ mutex }) => mutex.isAcquired,
  release: ({ mutex }) => mutex.release(),
});
