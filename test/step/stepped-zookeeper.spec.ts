import {
  DependencyDown,
  SessionLost,
  SteppedZooKeeper,
  observe,
  type Step,
  type SteppedZooKeeperOptions,
  type ZooKeeperSession,
} from '#lab/step';
import { eventually } from '../harness/eventually';
import { FaultProxy } from '#lab/stack';
import { ANSWER_MS } from '../harness/limits';
import { provide, schemaOf } from '../harness/servers';

type Times = Required<Pick<SteppedZooKeeperOptions, 'sessionMs' | 'timeoutMs'>>;

/** Longer than a busy machine keeps a process from running: no session ends, and every call is answered. */
const LONG: Times = { sessionMs: 40_000, timeoutMs: ANSWER_MS };
/** For tests in which a session ends, or a call is not answered. */
const SHORT: Times = { sessionMs: 1000, timeoutMs: 800 };
let address: string;
let faultProxy: FaultProxy;
const opened: SteppedZooKeeper[] = [];

beforeAll(async () => {
  address = (await provide(['zookeeper'])).zookeeper ?? '';
});
beforeEach(async () => {
  const [host = '', port = ''] = address.split(':');
  faultProxy = await FaultProxy.to(host, Number(port));
});
afterEach(async () => {
  for (const zookeeper of opened.splice(0)) zookeeper.disconnect();
  await faultProxy.close();
});

async function open(times = LONG, through = `127.0.0.1:${faultProxy.port}`): Promise<SteppedZooKeeper> {
  const zookeeper = new SteppedZooKeeper({ address: `${through}/${schemaOf(__filename)}`, ...times });
  opened.push(zookeeper);
  await zookeeper.connect();
  return zookeeper;
}

const folder = (): string => `/lock:{${expect.getState().currentTestName?.replace(/\W+/g, '-') ?? ''}}:z`;

test('a call is one step, with the lock as its key and its position in the order of the server', async () => {
  const zookeeper = await open();
  const steps: Step[] = [];
  const listener = (step: Step, issue: () => Promise<unknown>): Promise<unknown> => {
    steps.push(step);
    return issue();
  };
  const first = await observe({ actor: 'A', listener }, async () => {
    const made = await zookeeper.session.createNumbered(`${folder()}/a-`, 'me');
    const second = await zookeeper.session.createNumbered(`${folder()}/b-`, 'you');
    expect(await zookeeper.session.predecessor(made)).toBeUndefined();
    expect(await zookeeper.session.predecessor(second)).toBe(made);
    expect(await zookeeper.session.remove(made)).toBe(true);
    expect(await zookeeper.session.remove(made)).toBe(false);
    return second;
  });
  expect(steps.map(({ verb }) => verb)).toEqual([
    'CREATE',
    'CREATE',
    'CHILDREN',
    'CHILDREN',
    'DELETE',
    'DELETE',
  ]);
  expect(new Set(steps.map(({ key }) => key))).toEqual(new Set([folder().slice(1)]));
  const [, create, look, , removed] = steps.map(({ order }) => order ?? 0);
  const node = await zookeeper.session.get(first);
  expect(node).toEqual({ content: 'you', czxid: create, session: zookeeper.session.id });
  expect(look).toBeGreaterThanOrEqual(create ?? 0);
  expect(removed).toBeGreaterThan(look ?? 0);
});

test('the sequence numbers decide the order, not the names before them', async () => {
  const zookeeper = await open();
  const first = await zookeeper.session.createNumbered(`${folder()}/z-`, '');
  const second = await zookeeper.session.createNumbered(`${folder()}/a-`, '');
  expect(await zookeeper.session.predecessor(second)).toBe(first);
});

test('an ephemeral node can be created once', async () => {
  const [first, other] = [await open(), await open()];
  expect(await first.session.create(folder(), '1')).toBe(true);
  expect(await other.session.create(folder(), '2')).toBe(false);
  first.disconnect();
  await eventually('the node is removed with its session', async () => other.session.create(folder(), '2'));
});

test('waiting for a node ends when it is removed, even if it was removed before', async () => {
  const [first, other] = [await open(), await open()];
  const node = await first.session.createNumbered(`${folder()}/a-`, '');
  let over = false;
  const waiting = other.session.removed(node, new AbortController().signal).then(() => (over = true));
  await other.session.children(folder());
  expect(over).toBe(false);
  await first.session.remove(node);
  await waiting;
  await other.session.removed(node, new AbortController().signal);
});

test('an unreachable server is reported, and used again in the same session when it is back', async () => {
  const zookeeper = await open();
  const node = await zookeeper.session.createNumbered(`${folder()}/a-`, '');
  const session = zookeeper.session.id;
  const removed = zookeeper.session.removed(node, new AbortController().signal);
  await zookeeper.session.children(folder());
  faultProxy.cut();
  await expect(zookeeper.session.children(folder())).rejects.toThrow(DependencyDown);
  faultProxy.mend();
  await eventually('the server answers again', () =>
    zookeeper.session.children(folder()).then(
      () => true,
      () => false,
    ),
  );
  expect((await zookeeper.session.get(node))?.session).toBe(session);
  expect(zookeeper.session.lost.aborted).toBe(false);
  await (await open(LONG, address)).session.remove(node);
  await removed; // the watch is set again after the reconnect
});

test('a call to a server that is silent from the start times out', async () => {
  faultProxy.swallow();
  await expect(open(SHORT)).rejects.toThrow(DependencyDown);
  await expect(opened[0]?.session.children('/')).rejects.toThrow(DependencyDown);
});

/** Creates a node in a session that lasts until then: on a busy machine a short one may end before. */
async function nodeOf(zookeeper: SteppedZooKeeper): Promise<{
  readonly session: ZooKeeperSession;
  readonly node: string;
  readonly begun: number;
}> {
  let node: string | undefined;
  let { session } = zookeeper;
  let begun = performance.now();
  await eventually('a node is created', async () => {
    ({ session } = zookeeper);
    begun = performance.now();
    node = await session.createNumbered(`${folder()}/a-`, '').catch(() => undefined);
    return node !== undefined;
  });
  return { session, node: node ?? '', begun };
}

test('behind a black hole the end of the session is detected, calls fail, and later there is a new session', async () => {
  const other = await open(LONG, address);
  const zookeeper = await open(SHORT);
  const { session, node, begun } = await nodeOf(zookeeper);
  const { lost, id } = session;
  faultProxy.swallow();
  await expect(zookeeper.session.children(folder())).rejects.toThrow(DependencyDown);
  await eventually('the loss is detected', () => lost.aborted);
  expect(lost.reason).toBeInstanceOf(SessionLost);
  await eventually(
    'the server ends the session as well',
    async () => (await other.session.get(node)) === undefined,
  );
  expect(performance.now() - begun).toBeGreaterThanOrEqual(SHORT.sessionMs);
  faultProxy.mend();
  await eventually('there is a new session', () =>
    zookeeper.session.children(folder()).then(
      () => true,
      () => false,
    ),
  );
  expect(zookeeper.session.id).not.toBe(id);
  expect(zookeeper.session.lost.aborted).toBe(false);
  await expect(other.session.predecessor(node)).rejects.toThrow(SessionLost);
});
