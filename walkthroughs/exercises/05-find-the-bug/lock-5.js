// A lock with a lease. A waiter tries again every 100 ms.

const { randomUUID } = require('node:crypto');

exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const token = randomUUID();
    const giveUpAt = Date.now() + waitMs;
    while ((await redis.set(resource, token, 'PX', leaseMs, 'NX')) !== 'OK') {
      if (Date.now() >= giveUpAt) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return { resource, leaseEndsAt: Date.now() + leaseMs };
  },

  async release({ resource, leaseEndsAt }) {
    if (Date.now() < leaseEndsAt) await redis.del(resource);
  },
});
