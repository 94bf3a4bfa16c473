// mysql2-semaphore 1.0.0, which uses GET_LOCK: https://github.com/jessebye/node-mysql2-semaphore#readme
const semaphore = require('mysql2-semaphore');
const { withConnection } = require('../clients/mysql2-connection');

exports.about = {
  package: 'mysql2-semaphore',
  options: 'one try: the library does not wait for a name that is in use',
  text: '`IS_USED_LOCK`, then `GET_LOCK`: the lock belongs to a connection of the database, has no lease, and ends with its connection. A lock has no token: `unlock` releases the name of its connection, whoever asked. The library opens one connection for each instance; the recipe has an instance for each request, over a connection of the lab.',
  issues: [],
};

exports.createLock = ({ sql }) => ({
  async acquire(resource, { waitMs }) {
    const [lock, close] = withConnection(sql, (config) => semaphore(config));
    if (await lock.lock(resource, waitMs / 1000)) return { lock, resource, close };
    await close();
    return undefined;
  },
  async release({ lock, resource, close }) {
    await lock.unlock(resource);
    await close();
  },
});
