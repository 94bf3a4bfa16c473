const { randomUUID } = require('node:crypto');

exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const token = randomUUID();
    const giveUpAt = Date.now() + waitMs;
    while ((await redis.set(resource, token, 'PX', leaseMs, 'NX')) !== 'OK') {
      if (Date.now() >= giveUpAt) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return { resource, token };
  },

  async release({ resource, token }) {
    if ((await redis.get(resource)) === token) {
      await redis.del(resource);
    }
  },
});
