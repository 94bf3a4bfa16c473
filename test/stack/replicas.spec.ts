import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attach, type Replica, type Stack, startProcesses, withRedis } from '#lab/stack';
import { request } from 'undici';
import { call, eventually, isRunning, options, recordedPids, supervisorLines } from './support';

describe('replicas behind nginx', () => {
  const given = options({ order: 1, inventory: 2 }, { wired: ['inventory-1'] });
  let stack: Stack;

  beforeAll(async () => {
    stack = await startProcesses(given);
  });
  afterAll(() => stack.stop());

  const replica = async (name: string): Promise<Replica> => {
    const found = (await stack.replicas()).find((replica) => replica.name === name);
    if (!found) throw new Error(`no ${name}`);
    return found;
  };
  /** The replicas that answer a series of requests long enough for a full round-robin. */
  const answeringReplicas = async (): Promise<string[]> => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => call(`${stack.urls.inventory}/x`)));
    return [...new Set(replies.map(({ json }) => json.replica ?? ''))].sort();
  };

  it('receive all addresses, and nothing else of our environment', async () => {
    const { json } = await call(`${stack.urls.public}/orders`);
    expect(json.environment).toMatchObject({
      REDIS_URL: stack.urls.redis,
      MYSQL_URL: stack.urls.mysql,
      INVENTORY_URL: stack.urls.inventory,
      LAB_ENABLED: 'true',
      HISTORY_DIR: stack.historyDir,
    });
    expect(Object.keys(json.environment ?? {}).filter((key) => /npm|JEST|USER/.test(key))).toEqual([]);
  });

  it('are restarted after a kill, and the supervisor records the exit', async () => {
    const before = await replica('inventory-1');
    process.kill(before.pid, 'SIGKILL');
    await eventually('a restart', async () => (await replica('inventory-1')).starts === before.starts + 1);
    await stack.ready();
    const after = await replica('inventory-1');
    expect(after.pid).not.toBe(before.pid);
    expect(after.url).toBe(before.url);
    const lines = supervisorLines(stack.historyDir).filter((line) => line.replica === 'inventory-1');
    expect(lines.slice(-2)).toMatchObject([
      { type: 'exit', pid: before.pid, signal: 'SIGKILL', asked: false },
      { type: 'start', pid: after.pid },
    ]);
    expect(await answeringReplicas()).toEqual(['inventory-1', 'inventory-2']);
  });

  it('reach Redis through a fault proxy of their own, which can be cut, swallow data, and be mended', async () => {
    const { json } = await call(`${(await replica('inventory-1')).url}/x`);
    const { REDIS_URL: url = '' } = json.environment ?? {};
    expect(url).not.toBe(stack.urls.redis);
    const answers = (): Promise<boolean> =>
      withRedis(url, (redis) => redis.ping()).then(
        () => true,
        () => false,
      );
    expect(await answers()).toBe(true);
    await stack.swallow('inventory-1');
    expect(await answers()).toBe(false);
    await stack.cut('inventory-1');
    await stack.mend('inventory-1');
    expect(await answers()).toBe(true);
    await stack.cut('inventory-1');
    expect(await answers()).toBe(false);
    await stack.mend('inventory-1');
    await expect(stack.cut('inventory-2')).rejects.toThrow('no fault proxy');
  });

  it('are served by a new nginx worker after a reload', async () => {
    const worker = async (): Promise<string> =>
      (await request(`${stack.urls.inventory}/nginx/worker`)).body.text();
    const before = await worker();
    await stack.reload();
    expect(await worker()).not.toBe(before);
    expect(await answeringReplicas()).toEqual(['inventory-1', 'inventory-2']);
  });

  it('are observed to pause and to resume, even when the signal came from outside', async () => {
    const { pid } = await replica('inventory-2');
    process.kill(pid, 'SIGSTOP');
    const last = () => supervisorLines(stack.historyDir).at(-1);
    await eventually('the pause is recorded', () => last()?.type === 'stopped' && last()?.pid === pid);
    expect(await replica('inventory-2')).toMatchObject({ state: 'paused', pid });
    await stack.resume('inventory-2');
    await eventually('the resume is recorded', () => last()?.type === 'resumed');
    await stack.ready();
  });

  it('receive requests as soon as scale resolves, and none once they leave', async () => {
    await stack.scale('inventory', 4);
    expect(await answeringReplicas()).toEqual(['inventory-1', 'inventory-2', 'inventory-3', 'inventory-4']);
    const leaving = await replica('inventory-4');
    await stack.scale('inventory', 1);
    expect(await answeringReplicas()).toEqual(['inventory-1']);
    expect(isRunning(leaving.pid)).toBe(false);
    expect(
      supervisorLines(stack.historyDir).filter(({ pid, type }) => pid === leaving.pid && type === 'exit'),
    ).toMatchObject([{ asked: true }]);
    await stack.scale('inventory', 2);
  });

  it('can be restarted gracefully, and so can nginx after a kill', async () => {
    await stack.restart('order-1');
    await stack.kill('nginx');
    await expect(call(`${stack.urls.public}/orders`)).rejects.toThrow();
    await expect(stack.reload()).rejects.toMatchObject({
      code: 'STACK.NOT_READY',
      message: expect.stringContaining('nginx has exited') as string,
    });
    await stack.restart('nginx');
    expect((await call(`${stack.urls.public}/orders`)).json.replica).toBe('order-1');
    expect(await answeringReplicas()).toEqual(['inventory-1', 'inventory-2']);
  });

  it('can be faulted and scaled from another process', async () => {
    const attached = await attach(given.dir);
    expect((await attached?.replicas())?.map(({ name }) => name)).toEqual([
      'order-1',
      'inventory-1',
      'inventory-2',
    ]);
    await attached?.scale('order', 2);
    expect(await stack.replicas()).toHaveLength(4);
    await attached?.scale('order', 1);
  });

  it('leave no process, nginx workers included, when the stack stops', async () => {
    await stack.pause('inventory-1');
    const pids = recordedPids(given.dir);
    expect(pids.length).toBeGreaterThanOrEqual(7);
    await stack.stop();
    expect(pids.filter(isRunning)).toEqual([]);
  });
});

it('a replica that cannot start fails the stack with the reason and leaves no process', async () => {
  const given = options({ order: 1, inventory: 0 }, { environment: { NODE_DIE: '1' } });
  await expect(startProcesses(given)).rejects.toMatchObject({
    code: 'STACK.NOT_READY',
    message: expect.stringContaining('order-1 exited 5 times before it was ready') as string,
  });
  const exits = readFileSync(join(given.dir, 'history', 'supervisor.jsonl'), 'utf8');
  expect(exits.match(/"code":7/g)).toHaveLength(5);
});
