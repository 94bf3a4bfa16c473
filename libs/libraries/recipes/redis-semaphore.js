// redis-semaphore 5.8.0, Mutex with its defaults: https://github.com/swarthy/redis-semaphore#mutex
const { Mutex } = require('redis-semaphore');

exports.about = {
  package: 'redis-semaphore',
  options: 'Mutex, defaults: refreshed; a lost lock ends the process',
  text: 'Refreshes the lock every 0.8 leases, so that long work keeps it. A refresh that finds the lock lost, or cannot reach Redis, ends the process with an unhandled error: a process that is cut off cannot sell on an expired lock. A pause stops the refresh, and the holder can resume and write before its next refresh is answered.',
  issues: [
    'https://github.com/swarthy/redis-semaphore/issues/9',
    'https://github.com/swarthy/redis-semaphore/issues/24',
  ],
};

exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const mutex = new Mutex(redis, resource, {
      lockTimeout: leaseMs,
      acquireTimeout: Math.max(1, waitMs), // 0 would try not even once
    });
    return (await mutex.tryAcquire()) ? mutex : undefined;
  },
  release: (mutex) => mutex.release(),
});
