import { World, type WorldOptions } from '#lab/explore';
import { attach, ensureInstalled } from '#lab/stack';
import type { Component, ServerAddresses } from '#lab/step';
import { CATALOGUE, componentsOf } from '#lab/strategy';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

interface ServerSettings {
  /** `redis://…`, without a database. */
  readonly redis: string;
  /** `mysql://user:password@host:port`, without a schema. */
  readonly mysql: string;
  /** The optional servers that were started with the stack. */
  readonly servers?: ServerAddresses;
  /** The folder of the stack with the optional servers; absent when the servers were given. */
  readonly dir?: string;
}

// eslint-disable-next-line no-restricted-properties -- jest passes values to its workers through the environment only
const { LAB_TEST_SERVERS: given, JEST_WORKER_ID: workerId = '1' } = process.env;

/**
 * The Redis database of this spec file. Several files run at the same time, each in a worker of jest: on the optional servers, the
 * number of the worker keeps them apart.
 */
const redisDb = Number(workerId);

/** The servers that global-setup started for this worker of jest. */
export function servers(): ServerSettings {
  if (given === undefined) throw new Error('run the tests with `npm test`: it starts the servers');
  const all = [JSON.parse(given) as ServerSettings | readonly ServerSettings[]].flat();
  const ours = all[(redisDb - 1) % all.length];
  if (ours === undefined) throw new Error('LAB_TEST_SERVERS is an empty list');
  return ours;
}

/** The schema name of this spec file. */
export function schemaOf(file: string): string {
  const name = basename(file).replace(/\W+/g, '_').slice(0, 30);
  return `test_${name}_${createHash('sha1').update(file).digest('hex').slice(0, 6)}`;
}

/** Starts those of these optional servers that no spec of this run has requested yet, and returns all addresses. */
export async function provide(components: readonly Component[]): Promise<ServerAddresses> {
  const { dir, servers: given = {} } = servers();
  if (components.length === 0 || dir === undefined) return given;
  await ensureInstalled((line) => process.stderr.write(`${line}\n`), components);
  const stack = await attach(dir);
  if (stack === undefined) throw new Error(`the servers of this test run, in ${dir}, are gone`);
  return (await stack.provide(components)).servers;
}

/**
 * Opens the servers for schedules in a schema of the spec file: `openWorld(__filename)`. The optional servers are
 * those that the catalogue needs, or the named ones: each spec file has its own Redis database, ZooKeeper chroot
 * and etcd prefix.
 */
export const openWorld = async (
  file: string,
  components: readonly Component[] = componentsOf(CATALOGUE),
  more: Pick<WorldOptions, 'keepsStacks'> = {},
): Promise<World> =>
  World.open({ ...servers(), servers: await provide(components), redisDb, schema: schemaOf(file), ...more });
