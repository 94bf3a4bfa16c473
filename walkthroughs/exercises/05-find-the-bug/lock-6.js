// A lock with a lease. A waiter tries again every 100 ms.

const { randomUUID } = require('node:crypto');

const RELEASE = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  end
  return 0`;

exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const token = randomUUID();
    const giveUpAt = Date.now() + waitMs;
    const key = `${resource}:${process.pid}`;
    while ((await redis.set(key, token, 'PX', leaseMs, 'NX')) !== 'OK') {
      if (Date.now() >= giveUpAt) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return { key, token };
  },

  async release({ key, token }) {
    await redis.eval(RELEASE, 1, key, token);
  },
});
