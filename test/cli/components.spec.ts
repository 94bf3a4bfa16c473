import { problemOf } from '#lab/http';
import { COMPONENT_NAMES, ComponentMissing } from '#lab/step';
import { findOrStartLab } from '../../apps/lab/src/session';
import { Progress } from '../../apps/lab/src/print/progress';
import { provide } from '../harness/servers';
import { Checkout, eventually } from './support';

const checkout = new Checkout('components');
beforeAll(() => provide(COMPONENT_NAMES)); // installs them where that is possible
afterAll(() => checkout.remove(), 30_000);

/** How many processes of the checkout run this program. */
const count = (program: RegExp): number => checkout.processes().filter((line) => program.test(line)).length;

const REDIS = /redis-server/;
const ETCD = /etcd --name/;
const ZOOKEEPER = /ZooKeeperServerMain/;

test('lab up --with: the lab has what was asked for, and after a crash the next one starts and leaves nothing behind', async () => {
  const first = checkout.start('up', '--with', 'redlock,replica,zookeeper,etcd');
  await first.says('Ctrl-C stops everything');
  const running = { redis: count(REDIS), etcd: count(ETCD), zookeeper: count(ZOOKEEPER) };
  expect(running).toEqual({ redis: 1 + 5 + 3, etcd: 1, zookeeper: 1 });
  first.child.kill('SIGKILL');
  await first.end;

  const second = checkout.start('up', '--with', 'etcd');
  await second.says('Ctrl-C stops everything');
  expect([count(REDIS), count(ETCD), count(ZOOKEEPER)]).toEqual([1, 1, 0]);

  const [, labUrl = ''] = /lab (http:\S+)/.exec(second.stdout) ?? [];
  const start = { progress: new Progress(), signal: new AbortController().signal };
  const use = await findOrStartLab({ labUrl }, { ...start, components: ['etcd'] });
  await use.stop();
  await expect(
    findOrStartLab({ labUrl }, { ...start, components: ['etcd', 'redlock'] }),
  ).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/^[^\n]*npm start -- --with redlock[^\n]*$/) as string,
  });

  second.child.kill('SIGINT');
  expect((await second.end).code).toBe(130);
  await eventually('nothing is left', () => checkout.processes().length === 0, 3000).catch(() => undefined);
  expect(checkout.processes()).toEqual([]);
});

test('a lab without a component says so: 501, and how to get it', () => {
  expect(problemOf(new ComponentMissing('zookeeper'))).toMatchObject({
    status: 501,
    code: 'COMPONENT.MISSING',
    detail: expect.stringContaining('npm start -- --with zookeeper') as string,
  });
});
