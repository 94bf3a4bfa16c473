import { COMPONENT_NAMES } from '#lab/step';
import { request } from 'undici';
import { provide } from '../harness/servers';
import { Checkout } from './support';

const checkout = new Checkout('components');
beforeAll(() => provide(COMPONENT_NAMES)); // installs them where possible
afterAll(() => checkout.remove());

/** The number of processes of the checkout that run this program. */
const count = (program: RegExp): number => checkout.processes().filter((line) => program.test(line)).length;

const REDIS = /redis-server/;
const ETCD = /etcd --name/;
const ZOOKEEPER = /ZooKeeperServerMain/;

test('lab up --with starts the requested components and names a missing one; a crash leaves no process behind', async () => {
  const first = checkout.start('up', '--with', 'redlock,replica,zookeeper,etcd');
  await first.prints('Ctrl-C stops everything');
  const running = { redis: count(REDIS), etcd: count(ETCD), zookeeper: count(ZOOKEEPER) };
  expect(running).toEqual({ redis: 1 + 5 + 3, etcd: 1, zookeeper: 1 });
  first.child.kill('SIGKILL');
  await first.end;

  const second = checkout.start('up', '--with', 'etcd');
  await second.prints('Ctrl-C stops everything');
  expect([count(REDIS), count(ETCD), count(ZOOKEEPER)]).toEqual([1, 1, 0]);

  // finds the lab that runs in this checkout, or uses its address
  const [, labUrl = ''] = /lab (http:\S+)/.exec(second.stdout) ?? [];
  for (const args of [[], ['--lab-url', labUrl]]) {
    const { code, stdout, stderr } = await checkout.run('load', '--strategy', 'redlock', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^[^\n]*npm start -- --with redlock[^\n]*\n$/);
  }
  const answer = await request(`${labUrl}/orders?strategy=redlock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sku: 'phone', quantity: 1, buyer: 'ann' }),
  });
  expect(answer.statusCode).toBe(501);
  expect(await answer.body.json()).toMatchObject({
    code: 'COMPONENT.MISSING',
    detail: expect.stringContaining('npm start -- --with redlock') as string,
  });

  second.child.kill('SIGINT');
  expect((await second.end).code).toBe(130);
  await checkout.expectNoProcess();
});
