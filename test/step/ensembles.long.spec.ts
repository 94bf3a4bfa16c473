import { askEtcd, askZookeeper, ensureInstalled, ServerPark, type Member } from '#lab/stack';
import { SteppedEtcd, SteppedZooKeeper } from '#lab/step';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { eventually } from '../harness/eventually';

const dir = resolve('.lab', `test-ensembles-${process.pid}`);
let park: ServerPark;
const opened: { disconnect(): void }[] = [];

beforeAll(async () => {
  await ensureInstalled((line) => process.stderr.write(`${line}\n`), ['zookeeper', 'etcd']);
  park = await ServerPark.open(dir);
});
afterEach(async () => {
  for (const client of opened.splice(0)) client.disconnect();
  await park.clear();
});
afterAll(async () => {
  await park.stop();
  rmSync(dir, { recursive: true, force: true });
});

const listOf = (members: readonly Member[]): string => members.map(({ url }) => url).join(',');
const never = new AbortController().signal;

/** A failure of one server and its end. */
const FAILURES = {
  killed: { begin: ({ server }: Member) => server.kill(), end: () => undefined },
  stopped: {
    begin: ({ server }: Member) => server.pause(),
    end: ({ server }: Member) => {
      server.resume();
    },
  },
} as const;
const failures = Object.keys(FAILURES) as (keyof typeof FAILURES)[];

describe('ZooKeeper', () => {
  const SESSION_MS = 6000;

  async function open(members: readonly Member[]): Promise<SteppedZooKeeper> {
    const zookeeper = new SteppedZooKeeper({
      address: `${listOf(members)}/lab`,
      sessionMs: SESSION_MS,
      timeoutMs: 3000,
    });
    opened.push(zookeeper);
    await zookeeper.connect();
    return zookeeper;
  }

  /** The member that lists this session. */
  async function memberOf(members: readonly Member[], id: string): Promise<Member | undefined> {
    for (const member of members) {
      const sessions = await askZookeeper(member.url, 'cons');
      if (sessions?.includes(`sid=0x${BigInt(`0x${id}`).toString(16)}`) === true) return member;
    }
    return undefined;
  }

  test.each(failures)(
    'when a member is %s, the client moves to another one: the session and its watches survive',
    async (failure) => {
      const members = await park.zookeeper(3);
      const [zookeeper, other] = [await open(members), await open(members)];
      const { session } = zookeeper;
      const own = await session.createNumbered('/lock/a-', 'me');
      const theirs = await other.session.createNumbered('/lock/b-', 'you');
      const waiting = session.removed(theirs, never);
      await session.children('/lock');
      const lost = await memberOf(members, session.id);
      if (lost === undefined) throw new Error('no member has the session');
      await FAILURES[failure].begin(lost);
      const back = (client: SteppedZooKeeper) => () =>
        client.session.get(own).then(
          (node) => node?.session === session.id,
          () => false,
        );
      await eventually('the client has reconnected', back(zookeeper));
      await eventually('the other client has reconnected', back(other));
      expect(await memberOf(members, session.id)).not.toBe(lost);
      expect(session.lost.aborted).toBe(false);
      await other.session.remove(theirs);
      await waiting;
      FAILURES[failure].end(lost);
    },
  );
});

describe('etcd', () => {
  /** `timeoutMs` is far above the default, so that only a failed member makes a call fail or move. */
  const open = (members: readonly Member[], timeoutMs = 12_000): SteppedEtcd => {
    const etcd = new SteppedEtcd({ url: `${listOf(members)}/lab`, timeoutMs });
    opened.push(etcd);
    return etcd;
  };

  /** A member that is not the leader, so that its failure causes no election. */
  async function follower(members: readonly Member[]): Promise<Member> {
    for (const member of members) {
      const { leader, header } = (await askEtcd(member.url, 'maintenance/status')) as {
        leader: string;
        header: { member_id: string };
      };
      if (leader !== header.member_id) return member;
    }
    throw new Error('every member is a leader');
  }

  test.each(failures)(
    'when a member is %s, the client moves to another one: no call fails, and the waiter is notified',
    async (failure) => {
      const members = await park.etcd(3);
      const lost = await follower(members);
      const others = members.filter((member) => member !== lost);
      const [etcd, other] = [open([lost, ...others]), open(others)];
      const lease = await etcd.grant(10_000);
      const key = await etcd.create('lock/a', 'me', lease);
      const waiting = etcd.removed(key, never);
      await etcd.list('lock/');
      await FAILURES[failure].begin(lost);
      expect(await etcd.keepAlive(lease, key.key)).toBe(true);
      expect(await etcd.create(key.key, 'again', lease)).toEqual({ ...key, value: 'again' });
      expect(await other.list('lock/')).toEqual([key]);
      await other.revoke(lease, key.key);
      await waiting;
      FAILURES[failure].end(lost);
    },
  );

  test('a lease is renewed at another member after the first one fails', async () => {
    const members = await park.etcd(3);
    const lost = await follower(members);
    const etcd = open([lost, ...members.filter((member) => member !== lost)]);
    const lease = await etcd.grant(10_000);
    expect(await etcd.keepAlive(lease, 'lock/a')).toBe(true);
    await lost.server.kill();
    expect(await etcd.keepAlive(lease, 'lock/a')).toBe(true);
  });

  test('without a majority a call fails; with a majority calls succeed again', async () => {
    const members = await park.etcd(3);
    const etcd = open(members, 800);
    await open(members).grant(10_000); // there is a majority
    const lost = members.slice(0, 2);
    await Promise.all(lost.map(({ server }) => server.kill()));
    await expect(etcd.grant(10_000)).rejects.toMatchObject({ code: 'DEPENDENCY.DOWN' });
    await Promise.all(lost.map(({ server }) => server.start()));
    await eventually('a call succeeds', () =>
      etcd.grant(10_000).then(
        () => true,
        () => false,
      ),
    );
  });
});
