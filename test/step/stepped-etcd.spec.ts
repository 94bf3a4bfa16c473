import { request } from 'undici';
import { DependencyDown, SessionLost, SteppedEtcd, observe, type Step } from '#lab/step';
import { eventually } from '../harness/eventually';
import { FaultProxy } from '#lab/stack';
import { ANSWER_MS } from '../harness/limits';
import { provide, schemaOf } from '../harness/servers';

let url: string;
let faultProxy: FaultProxy;
const opened: SteppedEtcd[] = [];

beforeAll(async () => {
  url = (await provide(['etcd'])).etcd ?? '';
});
beforeEach(async () => {
  const { hostname, port } = new URL(url);
  faultProxy = await FaultProxy.to(hostname, Number(port));
});
afterEach(async () => {
  for (const etcd of opened.splice(0)) etcd.disconnect();
  await faultProxy.close();
});

/** For tests in which a call is not answered. */
const SHORT_MS = 800;

function open(timeoutMs = ANSWER_MS): SteppedEtcd {
  const url = `http://127.0.0.1:${faultProxy.port}/${schemaOf(__filename)}`;
  const etcd = new SteppedEtcd({ url, timeoutMs });
  opened.push(etcd);
  return etcd;
}

/** Creates a lease at the server itself: a call with a short time-out may fail on a busy machine. */
async function grant(): Promise<string> {
  const etcd = new SteppedEtcd({ url: `${url}/${schemaOf(__filename)}`, timeoutMs: ANSWER_MS });
  opened.push(etcd);
  return etcd.grant(LEASE_MS);
}

const LEASE_MS = 60_000;
const folder = (): string => `lock:{${expect.getState().currentTestName?.replace(/\W+/g, '-') ?? ''}}:e`;
const answers = (etcd: SteppedEtcd): Promise<boolean> =>
  etcd.list(folder()).then(
    () => true,
    () => false,
  );

test('a call is one step, with the lock as its key and its position in the order of the server', async () => {
  const etcd = open();
  const steps: Step[] = [];
  const listener = (step: Step, issue: () => Promise<unknown>): Promise<unknown> => {
    steps.push(step);
    return issue();
  };
  const lease = await etcd.grant(LEASE_MS);
  const revisions = await observe({ actor: 'A', listener }, async () => {
    const first = await etcd.create(`${folder()}/z`, 'me', lease);
    const second = await etcd.create(`${folder()}/a`, 'you', await etcd.grant(LEASE_MS));
    expect(await etcd.create(`${folder()}/z`, 'me', lease)).toEqual(first);
    expect(await etcd.predecessor(first)).toBeUndefined();
    expect(await etcd.predecessor(second)).toEqual({ ...first, lease });
    expect(await etcd.keepAlive(lease, first.key)).toBe(true);
    expect(await etcd.revoke(lease, first.key)).toBe(true);
    expect(await etcd.revoke(lease, first.key)).toBe(false);
    expect(await etcd.keepAlive(lease, first.key)).toBe(false);
    expect(await etcd.predecessor(second)).toBeUndefined();
    await expect(etcd.predecessor(first)).rejects.toThrow(SessionLost);
    return [first.revision, second.revision];
  });
  const onLock = steps.filter(({ key }) => key === folder());
  expect(onLock.map(({ verb }) => verb)).toEqual(
    ['PUT', 'PUT', 'PUT', 'RANGE', 'RANGE', 'KEEPALIVE', 'REVOKE', 'REVOKE', 'KEEPALIVE', 'RANGE', 'RANGE'], // prettier-ignore
  );
  const [firstPut, secondPut, again = 0, look = 0, , , revoked] = onLock.map(({ order }) => order ?? 0);
  expect([firstPut, secondPut]).toEqual(revisions);
  // not exact numbers: other spec files write to the same server
  expect(again).toBeGreaterThanOrEqual(secondPut ?? 0);
  expect(look).toBeGreaterThanOrEqual(again);
  expect(revoked).toBeGreaterThan(look);
});

test('waiting for a key ends when its lease ends, even if it has ended before', async () => {
  const etcd = open();
  const lease = await etcd.grant(LEASE_MS);
  const key = await etcd.create(`${folder()}/a`, 'me', lease);
  let over = false;
  const waiting = etcd.removed(key, new AbortController().signal).then(() => (over = true));
  expect(await etcd.list(folder())).toEqual([key]);
  expect(over).toBe(false);
  await etcd.revoke(lease, key.key);
  await waiting;
  await etcd.removed(key, new AbortController().signal);
});

test('an unreachable server is reported, and used again when it is back', async () => {
  const etcd = open();
  const lease = await etcd.grant(LEASE_MS);
  const key = await etcd.create(`${folder()}/a`, 'me', lease);
  const removed = etcd.removed(key, new AbortController().signal);
  faultProxy.cut();
  for (let i = 0; i < 5; i++) await expect(etcd.list(folder())).rejects.toThrow(DependencyDown);
  faultProxy.mend();
  await eventually('the server answers again', () => answers(etcd));
  await etcd.revoke(lease, key.key);
  await removed;
});

test('a call to a silent server times out', async () => {
  faultProxy.swallow();
  await expect(open(SHORT_MS).grant(LEASE_MS)).rejects.toThrow(DependencyDown);
});

test('behind a black hole calls fail; afterwards they succeed again', async () => {
  const etcd = open(SHORT_MS);
  const lease = await grant();
  await eventually('its connection is open', () => answers(etcd));
  faultProxy.swallow();
  await expect(etcd.keepAlive(lease, folder())).rejects.toThrow(DependencyDown);
  await expect(etcd.list(folder())).rejects.toThrow(DependencyDown);
  faultProxy.mend();
  await eventually('the server answers again', () => answers(etcd));
});

/** KEEPALIVE calls that etcd has started and not finished, from all clients. */
async function openStreams(): Promise<number> {
  const { origin } = new URL(url);
  const metrics = await (await request(`${origin}/metrics`)).body.text();
  const total = (name: string): number =>
    [...metrics.matchAll(new RegExp(`^grpc_server_${name}_total.*"LeaseKeepAlive".* (\\d+)$`, 'gm'))].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  expect(total('started')).toBeGreaterThan(0);
  return total('started') - total('handled');
}

test('a KEEPALIVE without an answer leaves no stream open at the server', async () => {
  const etcd = open(SHORT_MS);
  const lease = await grant();
  await eventually('its connection is open', () => answers(etcd));
  faultProxy.swallow('replies');
  await expect(etcd.keepAlive(lease, folder())).rejects.toThrow(DependencyDown);
  await eventually('every stream has ended', async () => (await openStreams()) === 0);
});
