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
    while ((await redis.set(resource, token, 'PX', leaseMs, 'NX')) !== 'OK') {
      if (Date.now() >= giveUpAt) {
        await redis.del(resource);
        return undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return { resource, token };
  },

  async release({ resource, token }) {
    await redis.eval(RELEASE, 1, resource, token);
  },
});
