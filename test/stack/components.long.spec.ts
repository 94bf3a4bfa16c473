import { attach, cleanStale, given as givenServers, startProcesses, type Stack } from '#lab/stack';
import { COMPONENT_NAMES, type ServerAddresses } from '#lab/step';
import { Redis } from 'ioredis';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { provide } from '../harness/servers';
import { call, dirWithoutSiblings, eventually, isRunning, NONE, options, recordedPids } from './support';

const VOTERS = ['redis-1', 'redis-2', 'redis-3', 'redis-4', 'redis-5'];
const ALL = [...VOTERS, 'primary', 'replica-1', 'replica-2', 'zookeeper', 'etcd', 'gateway'];

beforeAll(() => provide(COMPONENT_NAMES)); // installs them where possible

/** Ends a request that is never answered; longer than any answer on a busy machine. */
const ANSWER_MS = 30_000;
/** For so long a paused server is watched. */
const PAUSED_MS = 500;

/** Sends one command to a Redis; rejects when it is down or does not answer. */
async function redis(url: string, command: string, ...args: string[]): Promise<unknown> {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    enableReadyCheck: false,
    commandTimeout: ANSWER_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}

/** The answer of ZooKeeper to a four-letter word. */
function zookeeper(address: string | undefined, word: string): Promise<string> {
  const { hostname, port } = new URL(`tcp://${address ?? ''}`);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(word));
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('no answer'))).once('error', reject);
    void text(socket).then(resolve, reject);
  });
}

async function etcd(url: string | undefined, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await request(`${url ?? ''}/v3/kv/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  return (await answer.body.json()) as Record<string, unknown>;
}

const replication = async (url = ''): Promise<string> => String(await redis(url, 'INFO', 'replication'));

/** The number of replicas that acknowledge a write within two seconds. */
async function acknowledged(url = ''): Promise<number> {
  const client = new Redis(url);
  try {
    await client.set('k', 'v');
    return await client.wait(2, 2000);
  } finally {
    client.disconnect();
  }
}

const base64 = (value: string): string => Buffer.from(value).toString('base64');

/** Sends the named server a request that only a working server answers. */
async function use(
  name: string,
  { voters = [], primary = '', ...servers }: ServerAddresses,
): Promise<unknown> {
  if (name === 'zookeeper') return zookeeper(servers.zookeeper, 'srvr');
  if (name === 'etcd') return etcd(servers.etcd, 'range', { key: base64('k') });
  return redis(voters[VOTERS.indexOf(name)] ?? primary, 'PING');
}

/** Listening TCP sockets of these processes: local addresses as the kernel prints them. */
function listening(pids: readonly number[]): string[] {
  const open = new Set(
    pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).map(
        (fd) => /socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1],
      ),
    ),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && open.has(inode))
      .map(([, address = '']) => address),
  );
}
/** 127.0.0.1, also as an IPv6 address. */
const LOOPBACK = /^(0000000000000000FFFF0000)?0100007F:/;

describe('a stack with every optional server', () => {
  const stackOptions = options(NONE, { components: COMPONENT_NAMES });
  let stack: Stack;
  let servers: ServerAddresses;
  beforeAll(async () => {
    stack = await startProcesses(stackOptions);
    ({ servers } = stack.urls);
  });
  afterAll(() => stack.stop());

  it('has five Redis servers without replication', async () => {
    const voters = servers.voters ?? [];
    expect(new Set(voters).size).toBe(5);
    for (const [i, url] of voters.entries()) await redis(url, 'SET', 'who', String(i));
    expect(await Promise.all(voters.map((url) => redis(url, 'GET', 'who')))).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ]);
    for (const url of voters) expect(await replication(url)).toContain('connected_slaves:0');
  });

  it('has a Redis primary whose two replicas are in sync from the start and acknowledge writes', async () => {
    expect((await replication(servers.primary)).match(/state=online/g)).toHaveLength(2);
    expect(await acknowledged(servers.primary)).toBe(2);
  });

  it('has a ZooKeeper that allows short sessions and answers health queries', async () => {
    expect(await zookeeper(servers.zookeeper, 'ruok')).toBe('imok');
    expect(await zookeeper(servers.zookeeper, 'srvr')).toMatch(/version: 3\.\d+\.\d+/);
    expect(await zookeeper(servers.zookeeper, 'mntr')).toContain('zk_znode_count');
    expect(await zookeeper(servers.zookeeper, 'conf')).toMatch(
      /tickTime=200\n(.*\n)*minSessionTimeout=400\n/,
    );
    expect(await zookeeper(servers.zookeeper, 'dump')).toContain('not in the whitelist');
  });

  it('has an etcd', async () => {
    await etcd(servers.etcd, 'put', { key: base64('k'), value: base64('v') });
    expect(await etcd(servers.etcd, 'range', { key: base64('k') })).toMatchObject({
      kvs: [{ value: base64('v') }],
    });
  });

  it('reports their versions', async () => {
    expect(await stack.conditions()).toMatchObject({
      redlockVoters: 5,
      redisReplicas: 2,
      zookeeper: expect.stringMatching(/^3\./) as string,
      etcd: expect.stringMatching(/^3\./) as string,
    });
  });

  it('listens on loopback only, below the port range of outgoing connections', () => {
    const pids = recordedPids(stackOptions.dir);
    expect(pids).toHaveLength(2 + ALL.length);
    const addresses = listening(pids);
    expect(addresses.length).toBeGreaterThanOrEqual(pids.length);
    expect(addresses.filter((address) => !LOOPBACK.test(address))).toEqual([]);
    expect(addresses.filter((address) => parseInt(address.split(':')[1] ?? '', 16) >= 32_768)).toEqual([]);
  });

  it.each(['redis-1', 'redis-5', 'primary', 'zookeeper', 'etcd'])(
    '%s: after a kill it is down until it is restarted on the same address; a pause ends with resume',
    async (name) => {
      await stack.kill(name);
      await expect(use(name, servers)).rejects.toThrow();
      await expect(stack.kill(name)).rejects.toMatchObject({ code: 'STACK.SERVER_DOWN' });
      await expect(stack.ready()).resolves.toBeUndefined(); // services that do not need it are ready
      await stack.restart(name);
      await expect(use(name, servers)).resolves.toBeDefined();
      await stack.pause(name);
      const waiting = use(name, servers);
      expect(await Promise.race([waiting, delay(PAUSED_MS, 'no answer')])).toBe('no answer');
      await stack.resume(name);
      await expect(waiting).resolves.toBeDefined();
      await expect(use(name, servers)).resolves.toBeDefined();
    },
  );

  it('the replicas are in sync again after a restart of the primary or of one of them', async () => {
    for (const name of ['primary', 'replica-1', 'replica-2']) {
      await stack.kill(name);
      if (name !== 'primary') expect(await acknowledged(servers.primary)).toBe(1);
      await stack.restart(name);
      expect([name, await acknowledged(servers.primary)]).toEqual([name, 2]);
    }
  });

  it('a replica restarts although the primary is down', async () => {
    await stack.pause('primary');
    await stack.restart('replica-1');
    await stack.resume('primary');
    await eventually('both are linked', async () =>
      /connected_slaves:2/.test(await replication(servers.primary)),
    );
    expect(await acknowledged(servers.primary)).toBe(2);
  });

  it('after a kill ZooKeeper and etcd have their data, a Redis without persistence does not', async () => {
    await etcd(servers.etcd, 'put', { key: base64('kept'), value: base64('v') });
    const voter = servers.voters?.[0] ?? '';
    await redis(voter, 'SET', 'kept', 'v');
    for (const name of ['etcd', 'redis-1']) {
      await stack.kill(name);
      await stack.restart(name);
    }
    expect(await etcd(servers.etcd, 'range', { key: base64('kept') })).toMatchObject({ count: '1' });
    expect(await redis(voter, 'GET', 'kept')).toBeNull();
  });

  it('lists the known names when a name is unknown', async () => {
    await expect(stack.kill('redis-6')).rejects.toMatchObject({
      code: 'STACK.UNKNOWN_NAME',
      message: expect.stringContaining('redis-5, replica-1, replica-2, primary, zookeeper, etcd') as string,
    });
  });

  it('leaves no process when it is stopped, even if some are paused or dead', async () => {
    const pids = recordedPids(stackOptions.dir);
    for (const name of ['replica-1', 'redis-2', 'zookeeper']) await stack.pause(name);
    for (const name of ['redis-3', 'etcd']) await stack.kill(name);
    await stack.stop();
    expect(pids.filter(isRunning)).toEqual([]);
  });
});

describe('a stack started without them', () => {
  const stackOptions = options(NONE);
  let stack: Stack;
  beforeAll(async () => {
    stack = await startProcesses(stackOptions);
  });
  afterAll(() => stack.stop());

  it('starts each once for all callers, also from another process', async () => {
    expect(stack.urls.servers).toEqual({});
    const attached = await attach(stackOptions.dir);
    const [urls] = await Promise.all([stack.provide(['etcd']), attached?.provide(['etcd', 'redlock'])]);
    expect(urls.servers.etcd).toBe(attached?.urls.servers.etcd);
    expect(attached?.urls).toEqual(stack.urls);
    expect(recordedPids(stackOptions.dir)).toHaveLength(2 + 5 + 1);
    await expect(use('etcd', stack.urls.servers)).resolves.toBeDefined();
    await attached?.kill('redis-3');
    await expect(use('redis-3', stack.urls.servers)).rejects.toThrow();
  });
});

it('passes their addresses to the replicas', async () => {
  const stack = await startProcesses(options({ order: 1, inventory: 1 }, { components: COMPONENT_NAMES }));
  const { voters = [], primary, zookeeper: zk, etcd: kv } = stack.urls.servers;
  const { json } = await call(`${stack.urls.inventory}/x`);
  expect(json.environment).toMatchObject({
    REDLOCK_URLS: voters.join(','),
    REPLICATED_REDIS_URL: primary,
    ZOOKEEPER_URL: zk,
    ETCD_URL: kv,
  });
  await stack.stop();
});

it('the next start kills the processes of a killed owner', async () => {
  const dir = dirWithoutSiblings();
  const owner = spawn(process.execPath, [
    join(__dirname, 'fixtures', 'owner.cjs'),
    dir,
    COMPONENT_NAMES.join(','),
  ]);
  await once(owner.stdout, 'data');
  const orphans = recordedPids(dir);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  expect(orphans.filter(isRunning)).toHaveLength(2 + ALL.length);
  expect([...(await cleanStale(dir))].sort()).toEqual(['mysql', 'redis', ...ALL].sort());
  expect(orphans.filter(isRunning)).toEqual([]);
});

it('given addresses are used and probed, and a missing one is named with its variable', async () => {
  const servers = await provide(COMPONENT_NAMES);
  const stack = givenServers({
    public: 'http://127.0.0.1:1',
    inventory: '',
    redis: servers.primary ?? '',
    mysql: 'mysql://user:secret@127.0.0.1:1',
    servers: { primary: servers.primary ?? '', zookeeper: servers.zookeeper ?? '' },
    historyDir: '',
  });
  expect((await stack.provide(['zookeeper'])).servers).toMatchObject({ zookeeper: servers.zookeeper });
  await expect(stack.provide(['zookeeper', 'etcd', 'redlock'])).rejects.toMatchObject({
    code: 'STACK.COMPONENT_MISSING',
    message: expect.stringContaining('ETCD_URL, REDLOCK_URLS') as string,
  });
  await expect(stack.kill('zookeeper')).rejects.toMatchObject({
    code: 'STACK.CANNOT_BE_FAULTED',
    message: expect.not.stringContaining('secret') as string,
  });
});
