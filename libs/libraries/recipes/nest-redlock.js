// @anchan828/nest-redlock 0.4.26, the decorator: https://github.com/anchan828/nest-redlock#2-add-redlock-decorator
const { Redlock, RedlockService } = require('@anchan828/nest-redlock');

const RETRY_DELAY_MS = 200; // the default

exports.about = {
  package: '@anchan828/nest-redlock',
  options: '`@Redlock`, which runs a method of a Nest service under `using` of redlock 5.0.0-beta.2',
  text: 'The decorator calls `using` of redlock 5.0.0-beta.2 and does not pass its abort signal to the method: a lost lock cannot be noticed. Otherwise as `redlock-5-beta-using`.',
  issues: [
    'https://github.com/mike-marcacci/node-redlock/issues/296',
    'https://github.com/mike-marcacci/node-redlock/issues/299',
    'https://github.com/mike-marcacci/node-redlock/pull/369',
  ],
};

exports.createLock = ({ redis }) => {
  const service = new RedlockService({ clients: [redis] });
  return {
    /** The decorator locks a method: here it ends when the lock is released. */
    acquire: (resource, { leaseMs, waitMs }) =>
      new Promise((obtained, failed) => {
        const retryCount = Math.ceil(waitMs / RETRY_DELAY_MS);
        class Job {
          run() {
            return new Promise((finish) => obtained(() => (finish(), done)));
          }
        }
        const descriptor = Object.getOwnPropertyDescriptor(Job.prototype, 'run');
        Redlock(resource, leaseMs, { retryCount })(Job.prototype, 'run', descriptor);
        const job = Object.assign(new Job(), { '@redlockService': service });
        const done = descriptor.value.call(job);
        done.catch((error) => (error.name === 'ExecutionError' ? obtained(undefined) : failed(error)));
      }),
    release: (finish) => finish(),
  };
};
