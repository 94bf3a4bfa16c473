const { CommandExecutor, DEFAULT_REDIS_SCRIPTS } = require('node-redisson/dist/executor/CommandExecutor');

/** Calls `open`, which makes a `Redisson`, and gives it the connection `redis`: those that it opens would be seen by nothing. */
exports.commandsOver = (redis, open) => {
  const { createRedis } = CommandExecutor.prototype;
  let opened = 0;
  CommandExecutor.prototype.createRedis = function () {
    if (opened++ > 0) return { on: () => undefined }; // its second one receives messages
    const own = this.getRedisScripts();
    for (const [name, { lua, numberOfKeys }] of Object.entries(DEFAULT_REDIS_SCRIPTS))
      redis.defineCommand(name, { lua: own[name] ?? lua, numberOfKeys });
    return redis;
  };
  try {
    return open();
  } finally {
    CommandExecutor.prototype.createRedis = createRedis;
  }
};
