const { randomUUID } = require('node:crypto');

const ACQUIRE = `
  if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    return redis.call('INCR', KEYS[2])
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
    const token = await redis.eval(ACQUIRE, 2, key, `fence:${change.balance}`, owner, options.leaseMs);
    if (token === 0) throw failure('LOCK.NOT_OBTAINED');
    try {
      await balances.registerToken(change, { token, owner });
      const before = await balances.read(change.balance);
      if (before + change.delta < 0) throw failure('STOCK.SOLD_OUT');
      await work();
      return await balances.writeRegistered(change, { token, owner }, before, before + change.delta);
    } finally {
      await redis.eval(RELEASE, 1, key, owner);
    }
  },
};

const failure = (code) => Object.assign(new Error(code), { code });
