const { randomUUID } = require('node:crypto');

const ACQUIRE = `
  if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    return 1
  end
  return 0`;

const RELEASE = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  end
  return 0`;

exports.strategy = {
  async apply(change, { balances, redis, options, work }) {
    const key = `lock:${change.balance}`;
    const owner = randomUUID();
    const acquired = await redis.eval(ACQUIRE, 1, key, owner, options.leaseMs);
    if (acquired === 0) throw failure('LOCK.NOT_OBTAINED');
    try {
      const before = await balances.read(change.balance);
      if (before + change.delta < 0) throw failure('STOCK.SOLD_OUT');
      await work();
      return await balances.write(change, before, before + change.delta);
    } finally {
      await redis.eval(RELEASE, 1, key, owner);
    }
  },
};

const failure = (code) => Object.assign(new Error(code), { code });
