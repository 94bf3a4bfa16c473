import { startOwnServers } from '#lab/stack';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { CannotExplore } from './errors';

/** Servers that explorations may use. */
export interface Servers {
  /** `redis://host:port/db`: this database is emptied before each schedule. */
  readonly redis: string;
  /** `mysql://user:password@host:port`: the user creates and drops schemas of its own, and has PROCESS and CONNECTION ADMIN. */
  readonly mysql: string;
}

let started = 0;

/**
 * Starts a private Redis and a private MariaDB or MySQL on free ports, for several explorations. They end with this process at
 * the latest.
 */
export async function startServers(): Promise<Servers & { stop(): Promise<void> }> {
  const dir = join(tmpdir(), `oversell-lab-kit-${userInfo().uid}`, `${process.pid}-${++started}`);
  const servers = startOwnServers(dir);
  const { urls } = await servers.started;
  return { redis: `${urls.redis}/0`, mysql: urls.mysql, stop: servers.stop };
}

/** The Redis server and the number of the database of an address. Throws `CannotExplore`. */
export function readRedis(url: string): { readonly redis: string; readonly redisDb: number } {
  const [, redis, db] = /^(rediss?:\/\/[^/]+)\/(\d{1,4})$/.exec(url) ?? [];
  if (redis === undefined)
    throw new CannotExplore(
      `servers.redis must name the database that may be emptied, as in redis://127.0.0.1:6379/15, not "${url}"`,
    );
  return { redis, redisDb: Number(db) };
}

/** The address of the database server, without a schema. Throws `CannotExplore`. */
export function readMysql(url: string): string {
  const [, server] = /^((?:mysql|mariadb):\/\/[^/]+)\/?$/.exec(url) ?? [];
  if (server === undefined)
    throw new CannotExplore(
      `servers.mysql must be an address without a schema, as in mysql://root@127.0.0.1:3306, not "${url}": the kit creates its own`,
    );
  return server.replace(/^mariadb/, 'mysql');
}
