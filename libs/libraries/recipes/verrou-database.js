// @verrou/core 0.5.2 with the database store, through Kysely: https://verrou.dev/docs/drivers#databases
const { Verrou } = require('@verrou/core');
const { kyselyStore } = require('@verrou/core/drivers/kysely');
const { Kysely } = require('kysely');
const { dialectOver } = require('../clients/kysely-dialect');

exports.about = {
  package: '@verrou/core',
  options: 'database store (Kysely), defaults: one lease, no renewal',
  text: 'A row with an owner and an expiry in milliseconds, inserted or taken over when it has expired, and a release that compares the owner. Nothing renews the lease. Expiry is compared with the clock of each client (`Date.now()`), here one clock for all. The recipe sends the statements of Kysely over the connections of the lab.',
  issues: [],
};

exports.createLock = ({ sql }) => {
  const connection = new Kysely({ dialect: dialectOver(sql) });
  const verrou = new Verrou({
    default: 'database',
    stores: { database: { driver: kyselyStore({ connection }) } },
  });
  return {
    async acquire(resource, { leaseMs, waitMs }) {
      const lock = verrou.createLock(resource, leaseMs);
      return (await lock.acquire({ retry: { timeout: waitMs } })) ? lock : undefined;
    },
    release: (lock) => lock.release(),
  };
};
