import { World } from '#lab/explore';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

interface Servers {
  /** `redis://…`, without a database. */
  readonly redis: string;
  /** `mysql://user:password@host:port`, without a schema. */
  readonly mysql: string;
}

/** The servers that global-setup started. */
export function servers(): Servers {
  // eslint-disable-next-line no-restricted-properties -- jest hands things to its workers in the environment only
  const given = process.env['LAB_TEST_SERVERS'];
  if (given === undefined) throw new Error('run the tests with `npm test`: it starts the servers');
  return JSON.parse(given) as Servers;
}

/** Redis databases that spec files use; two run at the same time, each with a number from its jest worker. */
// eslint-disable-next-line no-restricted-properties -- as above
const redisDb = Number(process.env['JEST_WORKER_ID'] ?? '1');

/** A schema name of this spec file's own. */
export function schemaOf(file: string): string {
  const name = basename(file).replace(/\W+/g, '_').slice(0, 30);
  return `test_${name}_${createHash('sha1').update(file).digest('hex').slice(0, 6)}`;
}

/** Opens the servers for schedules in a schema of the spec file's own: `openWorld(__filename)`. */
export const openWorld = (file: string): Promise<World> =>
  World.open({ ...servers(), redisDb, schema: schemaOf(file) });
