// node-redisson 1.0.4 with its watchdog: https://github.com/smilecc/node-redisson#usage
const { Redisson } = require('node-redisson');
const { commandsOver } = require('../clients/redisson-commands');

const RETRY_DELAY_MS = 100;

exports.about = {
  package: 'node-redisson',
  options: 'watchdog; `tryLock(0)` tried again every 100 ms, not its wait for a message',
  text: 'A watchdog renews the lease every third of it, so that long work keeps the lock; nothing tells the holder that a renewal failed. A release that fails does not stop the watchdog: it renews the lock of a request that has ended for as long as the process lives. Its wait for a message of Redis is not explored: the recipe tries again instead.',
  issues: [],
};

exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const redisson = commandsOver(
      redis,
      () => new Redisson({ redis: {}, lockWatchdogTimeout: BigInt(leaseMs) }),
    );
    const lock = redisson.getLock(resource);
    const until = Date.now() + waitMs;
    while (!(await lock.tryLock(0n, true))) {
      if (Date.now() >= until) return undefined;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
    return lock;
  },
  release: (lock) => lock.unlock(),
});
