import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { attach, cleanStale, type Stack, startProcesses } from '#lab/stack';
import { dirWithoutSiblings, eventually, isRunning, NONE, options, recordedPids } from './support';

describe('a stack of servers only', () => {
  const given = options(NONE);
  let stack: Stack;

  beforeAll(async () => {
    stack = await startProcesses(given);
  });
  afterAll(() => stack.stop());

  const ping = async (): Promise<string> => {
    const redis = new Redis(stack.urls.redis, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => undefined);
    await redis.connect();
    try {
      return await redis.ping();
    } finally {
      redis.disconnect();
    }
  };

  it('has a real Redis and a real database whose schemas its user owns', async () => {
    await expect(ping()).resolves.toBe('PONG');
    const connection = await createConnection(stack.urls.mysql);
    for (const schema of ['inventory', 'orders', 'test_spec']) {
      await connection.query(`CREATE DATABASE IF NOT EXISTS ${schema}`);
      await connection.query(`CREATE TABLE ${schema}.t (id INT)`);
    }
    await expect(connection.query('SHOW ENGINE INNODB STATUS')).resolves.toBeDefined();
    await expect(connection.query('CREATE DATABASE foreign_schema')).rejects.toThrow(/denied/);
    await connection.end();
  });

  it('reports the conditions of a run', async () => {
    expect(await stack.conditions()).toMatchObject({
      backEnd: 'processes',
      redisAppendonly: 'no',
      redisSave: '',
      innodbFlushLogAtTrxCommit: 0,
      isolation: 'REPEATABLE-READ',
      cpus: expect.any(Number) as number,
    });
  });

  it('keeps a killed server down until it is restarted on the same address', async () => {
    await stack.kill('redis');
    await expect(ping()).rejects.toThrow();
    await expect(stack.ready()).rejects.toMatchObject({ code: 'STACK.SERVER_DOWN' });
    await stack.restart('redis');
    await expect(ping()).resolves.toBe('PONG');
  });

  it('pauses and resumes a server', async () => {
    await stack.pause('redis');
    const pong = ping();
    await stack.resume('redis');
    await expect(pong).resolves.toBe('PONG');
  });

  it('rejects an unknown name and lists the known ones', async () => {
    await expect(stack.kill('inventory-9')).rejects.toMatchObject({
      code: 'STACK.UNKNOWN_NAME',
      message: expect.stringContaining('redis, mysql') as string,
    });
  });

  it('refuses a second start in its folder and names the owner', async () => {
    await expect(startProcesses(given)).rejects.toMatchObject({
      code: 'STACK.ALREADY_RUNNING',
      message: expect.stringContaining(`kill ${process.pid}`) as string,
    });
  });

  it('can be used by another process, which does not stop it', async () => {
    const attached = await attach(given.dir);
    expect(attached?.urls).toEqual(stack.urls);
    await expect(attached?.kill('unknown')).rejects.toMatchObject({ code: 'STACK.UNKNOWN_NAME' });
    await attached?.stop();
    await expect(ping()).resolves.toBe('PONG');
  });
});

it('several stacks may start for the first time at once', async () => {
  const first = () => startProcesses({ ...options(NONE), dir: dirWithoutSiblings() }); // has no template yet
  const started = await Promise.allSettled(Array.from({ length: 6 }, first));
  for (const one of started) if (one.status === 'fulfilled') await one.value.stop();
  expect(started.filter(({ status }) => status === 'rejected')).toEqual([]);
});

it('a stopped stack leaves no process, even if stopped twice and while a server is paused', async () => {
  const given = options(NONE);
  const stack = await startProcesses(given);
  const pids = recordedPids(given.dir);
  expect(pids).toHaveLength(2);
  await stack.pause('mysql');
  await Promise.all([stack.stop(), stack.stop()]);
  expect(pids.filter(isRunning)).toEqual([]);
  expect(await attach(given.dir)).toBeUndefined();
  await expect(stack.kill('redis')).rejects.toMatchObject({ code: 'STACK.STOPPED' });
});

it('an aborted start leaves no process', async () => {
  const given = options({ order: 1, inventory: 1 });
  const giveUp = new AbortController();
  const start = startProcesses({ ...given, signal: giveUp.signal });
  await eventually('the servers have been started', () => {
    try {
      return recordedPids(given.dir).length >= 2;
    } catch {
      return false;
    }
  });
  const pids = recordedPids(given.dir);
  giveUp.abort();
  await expect(start).rejects.toMatchObject({ code: 'STACK.ABORTED' });
  expect(pids.filter(isRunning)).toEqual([]);
});

it('a new start first kills the processes of a killed owner', async () => {
  const dir = dirWithoutSiblings();
  const owner = spawn(process.execPath, [join(__dirname, 'fixtures', 'owner.cjs'), dir]);
  await once(owner.stdout, 'data');
  const orphans = recordedPids(dir);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  expect(orphans.filter(isRunning)).toHaveLength(2);

  expect(await attach(dir)).toBeUndefined();
  await cleanStale(dir);
  expect(orphans.filter(isRunning)).toEqual([]);

  const successor = await startProcesses({ ...options(NONE), dir });
  await successor.stop();
});
