import type { SubjectClients } from '#lab/own';
import type { ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { setTimeout as wait } from 'node:timers/promises';

/** A request of a program: its clients, and what it has received. */
export interface Request extends SubjectClients {
  /** The value that it writes: the name of its actor. */
  readonly me: string;
  /** Ends its request when the lease of a lock that it took at its start would be over. */
  readonly until: number;
  /** The connection of its transaction or named lock, while there is one. */
  connection: Awaited<ReturnType<SubjectClients['pool']['getConnection']>> | undefined;
  /** The reply to its last statement. */
  last: unknown;
}

/** Part of a program; the value is its reply. Throws `Refused` to end the request. */
export type Statement = (request: Request) => unknown;

/** The request ends, as code does that finds a lock taken. */
export class Refused extends Error {}

/** Milliseconds of every lease. */
export const LEASE_MS = 10_000;

/** Characters of a list's element: a history shows only the beginning of a reply with one, or with several. */
const LONG = 250;

const DELETE_OWN =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

const COUNT_AND_TAKE =
  "redis.call('INCR', KEYS[1]) return redis.call('SET', KEYS[2], ARGV[1], 'NX') and 1 or 0";

/** Commands on one lock, a counter, and one key of each type. Their replies do not contain the server's time. */
export const REDIS: Readonly<Record<string, Statement>> = {
  'GET lock': ({ redis }) => redis.get('lock'),
  'SET lock me': ({ redis, me }) => redis.set('lock', me),
  'SET lock me NX': ({ redis, me }) => redis.set('lock', me, 'NX'),
  'SET lock me PX NX': ({ redis, me }) => redis.set('lock', me, 'PX', LEASE_MS, 'NX'),
  'SET lock me GET': ({ redis, me }) => redis.set('lock', me, 'GET'),
  'DEL lock': ({ redis }) => redis.del('lock'),
  'DEL lock if mine': ({ redis, me }) => redis.eval(DELETE_OWN, 1, 'lock', me),
  'PEXPIRE lock': ({ redis }) => redis.pexpire('lock', LEASE_MS),
  'PERSIST lock': ({ redis }) => redis.persist('lock'),
  'EXISTS lock': ({ redis }) => redis.exists('lock'),
  'RENAME lock other': ({ redis }) => redis.rename('lock', 'other'),
  'INCR count': ({ redis }) => redis.incr('count'),
  'GET count': ({ redis }) => redis.get('count'),
  'MGET lock count': ({ redis }) => redis.mget('lock', 'count'),
  'RPUSH list me': ({ redis, me }) => redis.rpush('list', me.padEnd(LONG, '.')),
  'LPOP list': ({ redis }) => redis.lpop('list'),
  'BLPOP list': ({ redis }) => redis.blpop('list', 5),
  'LRANGE list': ({ redis }) => redis.lrange('list', 0, -1),
  'SADD set me': ({ redis, me }) => redis.sadd('set', me),
  'SCARD set': ({ redis }) => redis.scard('set'),
  'HINCRBY hash': ({ redis }) => redis.hincrby('hash', 'field', 1),
  'HSETNX hash': ({ redis, me }) => redis.hsetnx('hash', 'owner', me),
  'HGETALL hash': ({ redis }) => redis.hgetall('hash'),
  'SET lock me XX': ({ redis, me }) => redis.set('lock', me, 'XX'),
  'GETDEL lock': ({ redis }) => redis.getdel('lock'),
  'EVAL INCR count, SET lock me if free': ({ redis, me }) =>
    redis.eval(COUNT_AND_TAKE, 2, 'count', 'lock', me),
  'ZADD scores me': ({ redis, me }) => redis.zadd('scores', me.length, me),
  'ZPOPMIN scores': ({ redis }) => redis.zpopmin('scores'),
  'XADD stream me': ({ redis, me }) => redis.xadd('stream', '*', 'by', me).then(() => 'added'),
  'XRANGE stream': async ({ redis }) => (await redis.xrange('stream', '-', '+')).map(([, fields]) => fields),
  'XDEL first of stream': async ({ redis }) => {
    const [first] = await redis.xrange('stream', '-', '+', 'COUNT', 1);
    return first === undefined ? 0 : redis.xdel('stream', first[0]);
  },
  'WATCH lock': ({ redis }) => redis.watch('lock'),
  'MULTI INCR count, SET lock me NX': ({ redis, me }) =>
    redis.multi().incr('count').set('lock', me, 'NX').exec(),
  'pipeline GET lock, DEL lock': ({ redis }) => redis.pipeline().get('lock').del('lock').exec(),
};

async function query({ connection, pool }: Request, text: string): Promise<unknown> {
  const [result] = await (connection ?? pool).query<RowDataPacket[] | ResultSetHeader>(text);
  return Array.isArray(result) ? result.map((row) => Object.values(row) as unknown[]) : result.affectedRows;
}

/** `ME` in the text is the name of the actor. */
const sql =
  (text: string): Statement =>
  (request) =>
    query(request, text.replace('ME', request.me));

/** On a connection of its own, which the request keeps. */
const onConnection =
  (text: string): Statement =>
  async (request) => {
    request.connection ??= await request.pool.getConnection();
    return query(request, text);
  };

/** Statements on two rows, on a row that is a lock, and on a table that grows. */
export const SQL: Readonly<Record<string, Statement>> = {
  'SELECT first': sql('SELECT value FROM counter WHERE id = 1'),
  'SELECT both': sql('SELECT value FROM counter ORDER BY id'),
  'SELECT first FOR UPDATE': sql('SELECT value FROM counter WHERE id = 1 FOR UPDATE'),
  'SELECT second FOR UPDATE': sql('SELECT value FROM counter WHERE id = 2 FOR UPDATE'),
  'SELECT first FOR UPDATE NOWAIT': sql('SELECT value FROM counter WHERE id = 1 FOR UPDATE NOWAIT'),
  'SELECT both FOR UPDATE SKIP LOCKED': sql('SELECT value FROM counter FOR UPDATE SKIP LOCKED'),
  'SELECT first in share mode': sql('SELECT value FROM counter WHERE id = 1 LOCK IN SHARE MODE'),
  'UPDATE first + 1': sql('UPDATE counter SET value = value + 1 WHERE id = 1'),
  'UPDATE second + 1': sql('UPDATE counter SET value = value + 1 WHERE id = 2'),
  'UPDATE first if 0': sql('UPDATE counter SET value = 1 WHERE id = 1 AND value = 0'),
  'UPDATE both': sql('UPDATE counter SET value = value + 1'),
  'UPDATE first from second': sql(
    'UPDATE counter one JOIN counter other ON other.id = 2 SET one.value = other.value + 10 WHERE one.id = 1',
  ),
  'INSERT lock': sql("INSERT INTO locks (name, owner) VALUES ('lock', 'ME')"),
  'INSERT IGNORE lock': sql("INSERT IGNORE INTO locks (name, owner) VALUES ('lock', 'ME')"),
  'INSERT lock ON DUPLICATE KEY': sql(
    "INSERT INTO locks (name, owner) VALUES ('lock', 'ME') ON DUPLICATE KEY UPDATE owner = CONCAT(owner, 'ME')",
  ),
  'DELETE lock': sql("DELETE FROM locks WHERE name = 'lock'"),
  'DELETE lock if mine': sql("DELETE FROM locks WHERE name = 'lock' AND owner = 'ME'"),
  'SELECT lock': sql('SELECT owner FROM locks'),
  'SELECT lock FOR UPDATE': sql("SELECT owner FROM locks WHERE name = 'lock' FOR UPDATE"),
  'INSERT audit': sql("INSERT INTO audit (actor) VALUES ('ME')"),
  'INSERT audit SELECT': sql("INSERT INTO audit (actor) SELECT CONCAT('ME', value) FROM counter"),
  'SELECT COUNT audit': sql('SELECT COUNT(*) FROM audit'),
  GET_LOCK: onConnection("SELECT GET_LOCK('name', 1)"),
  RELEASE_LOCK: sql("SELECT RELEASE_LOCK('name')"),
  SAVEPOINT: sql('SAVEPOINT here'),
  'ROLLBACK TO SAVEPOINT': sql('ROLLBACK TO SAVEPOINT here'),
};

/** The bounds of a transaction. */
export const TRANSACTION = {
  BEGIN: onConnection('START TRANSACTION'),
  COMMIT: sql('COMMIT'),
  ROLLBACK: sql('ROLLBACK'),
} satisfies Readonly<Record<string, Statement>>;

const isEmpty = (reply: unknown): boolean =>
  reply === null || reply === 0 || (Array.isArray(reply) && reply.length === 0);

function endIf(isRefused: boolean): string {
  if (isRefused) throw new Refused();
  return 'goes on';
}

/** Between statements. */
export const LOCAL: Readonly<Record<string, Statement>> = {
  'wait 100 ms': () => wait(100, 'waited'),
  'end if the reply is empty': ({ last }) => endIf(isEmpty(last)),
  'end unless the reply is empty': ({ last }) => endIf(!isEmpty(last)),
  // eslint-disable-next-line no-restricted-properties -- it is virtual in a schedule
  'end if the lease is over': ({ until }) => endIf(Date.now() >= until),
};

/** Every statement by its name. */
export const STATEMENTS: Readonly<Record<string, Statement>> = { ...REDIS, ...SQL, ...TRANSACTION, ...LOCAL };
