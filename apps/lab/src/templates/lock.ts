/** The file that `lab new lock` writes: a lock with one deliberate bug, as JavaScript that is TypeScript as well. */
export const LOCK_TEMPLATE = `// A lock of your own. "npx lab verify THIS-FILE" runs it in every order of its steps, with faults,
// on real Redis and a real database, and prints which promises it keeps.
//
// There is a bug in it. Find it in the report, mend it, and verify again.

// What the requests of one process share belongs here, for example a map of mutexes. Each process
// of a schedule evaluates this file for itself, as two replicas of an app do.

// Promises that this lock does not make: then only others that are broken are failures.
// exports.lacks = ['survivesLapse', 'survivesSlowWork', 'noticesLoss'];

// Called once for each request. Send everything over these clients: redis (ioredis) and
// sql (a TypeORM data source). Commands over other connections cannot be scheduled.
exports.createLock = ({ redis }) => ({
  // Resolves with a handle, or with undefined when the lock was not obtained within waitMs.
  // Timers and Date.now() follow the time of the schedule: nothing here really waits.
  async acquire(resource, { leaseMs, waitMs }) {
    const giveUpAt = Date.now() + waitMs;
    for (;;) {
      const reply = await redis.set(resource, 'locked', 'PX', leaseMs, 'NX');
      if (reply === 'OK') return { resource };
      if (Date.now() >= giveUpAt) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  },

  async release({ resource }) {
    await redis.del(resource);
  },
});
`;
