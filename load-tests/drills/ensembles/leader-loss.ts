import { pollUntil, type Member } from '#lab/stack';
import { monotonic } from '#lab/step';
import type { Buyer } from '../buyer';
import type { Drill } from '../drill';
import { inTime } from './in-time';
import { memberWith, START, type Ensemble, type Kind, type Ticket } from './lock-servers';
import { before } from '../messages';
import type { DrillEnvironment } from '../drill-environment';

const MEMBERS = 3;
const CHANGE_TIMEOUT_MS = 20_000;
/** Milliseconds that sessions and leases last: longer than two elections on a busy machine. */
const LONG_MS = 8000;
/** Milliseconds that sessions and leases last where a buyer waits for their end: short, to keep the drill short. */
const SHORT_MS = 3000;
/** The verb that releases the lock. */
const RELEASE: Readonly<Record<Kind, string>> = { zookeeper: 'DELETE', etcd: 'REVOKE' };

interface Loss {
  readonly failure: 'killed' | 'stopped';
  readonly role: 'leader' | 'follower';
}

/**
 * A has the lock and is held before its write, B waits for the lock, and one of three servers is lost. A's session must
 * survive: B gets the lock only after A has released it. C buys last and has a greater fence than both.
 */
const play =
  (kind: Kind, { failure, role }: Loss) =>
  async (env: DrillEnvironment): Promise<void> => {
    const ensemble = await START[kind](env, MEMBERS, LONG_MS);
    const { queue, members } = ensemble;
    const [leader] = await ensemble.leaders();
    if (leader === undefined) throw new Error('All three members answer, but none is the leader');
    const followers = members.filter((member) => member !== leader);

    // a lost leader may or may not be the server that A is connected to; a lost follower always is
    const A = await env.buyer('A', ensemble.place(role === 'leader' ? members : followers));
    await A.runUntil(before('UPDATE balance SET amount'));
    const B = await env.buyer('B', ensemble.place());
    const entered = startWaiting(B);
    await inTime(env, 'A has the lock and B waits, according to the servers', async () =>
      isQueue(await queue(kind), 'A', 'B'),
    );
    const [held, waiting] = await queue(kind);

    const lost = role === 'leader' ? leader : await connected(ensemble, kind, held, followers);
    const others = members.filter((member) => member !== lost);
    const changeAsB = await ensemble.changes(members);
    const changesOfOthers = await Promise.all(others.map((member) => ensemble.changes([member])));
    const isLeader = (await ensemble.leaders()).includes(lost);
    env.fact(
      `the server that is about to fail is the ${role}, according to itself`,
      isLeader === (role === 'leader'),
    );
    const since = monotonic();
    if (failure === 'killed') await lost.server.kill();
    else await lost.server.pause();
    env.note('drill', `the ${role} is ${failure}`);
    const isLost = failure === 'killed' ? !lost.server.isUp : lost.server.isUp && !lost.server.isRunning;
    env.fact(`the ${role} is ${failure}`, isLost);
    // started only now: a change in flight at the leader's death is a different case
    const msAsB = msUntilMade(changeAsB, since);
    const msUntilAny = Promise.race([msAsB, ...changesOfOthers.map((change) => msUntilMade(change, since))]);
    await inTime(env, 'one of the others is the leader, according to itself', async () => {
      const leaders = await ensemble.leaders();
      return leaders.some((member) => others.includes(member));
    });
    env.figure('ms until a change was possible on any connection', await msUntilAny);
    env.figure("ms until a change was possible on a connection like B's", await msAsB);
    env.fact("changes are possible again, also on a connection like B's", !Number.isNaN(await msAsB));
    await inTime(env, "A's client is connected to one of the others, in the same session or lease", () =>
      moved(ensemble, kind, A, held, others, since),
    );

    const [first] = await queue(kind);
    env.fact(
      'A still has the lock, in the same session or lease, according to the servers',
      first?.buyer === 'A' && first.session === held?.session && first.fence === held?.fence,
    );
    env.fact('B still waits', entered.at === undefined);
    await A.finish();
    await entered.done;
    const released = A.answered(RELEASE[kind])?.at ?? Infinity;
    env.fact('B got the lock only after A had begun to release it', (entered.at ?? 0) > released);
    await B.finish();
    if (failure === 'stopped') {
      lost.server.resume();
      await inTime(
        env,
        'the server that was stopped has resumed and is not the leader, according to itself',
        async () => lost.server.isRunning && !(await ensemble.leaders()).includes(lost),
      );
    }

    const C = await env.buyer('C', ensemble.place(others));
    await C.runUntil(before('SELECT'));
    const [last] = await queue(kind);
    const fences = [held, waiting, last].map((ticket) => ticket?.fence ?? 0);
    env.figure('fences of A, B, C', fences.join(', '));
    const [a = 0, b = 0, c = 0] = fences;
    env.fact("the fences increase: A's is less than B's, and B's is less than C's", 0 < a && a < b && b < c);
    await C.finish();
  };

/** The follower that serves A's session. An etcd client connects to the first server of its list. */
async function connected(
  ensemble: Ensemble,
  kind: Kind,
  held: Ticket | undefined,
  followers: readonly Member[],
): Promise<Member> {
  const member = kind === 'etcd' ? followers[0] : await memberWith(ensemble, held?.session);
  if (member === undefined || !followers.includes(member))
    throw new Error('A is not connected to a follower');
  return member;
}

/** Whether A's client is connected to another member: ZooKeeper lists connections; for etcd a renewed lease shows it. */
async function moved(
  ensemble: Ensemble,
  kind: Kind,
  A: Buyer,
  held: Ticket | undefined,
  others: readonly Member[],
  since: number,
): Promise<boolean> {
  if (kind === 'etcd') return (A.answered('KEEPALIVE')?.at ?? 0) > since;
  const member = await memberWith({ ...ensemble, members: others }, held?.session);
  return member !== undefined;
}

const isQueue = (tickets: readonly Ticket[], ...buyers: readonly string[]): boolean =>
  tickets.map(({ buyer }) => buyer).join() === buyers.join();

/** Lets a buyer wait for the lock. It is held once it has the lock; `at` is that time, in microseconds. */
function startWaiting(buyer: Buyer): { at: number | undefined; readonly done: Promise<void> } {
  const entered: { at: number | undefined; done: Promise<void> } = { at: undefined, done: Promise.resolve() };
  entered.done = buyer.runUntil(before('SELECT')).then(() => {
    entered.at = monotonic();
  });
  entered.done.catch(() => undefined); // a rejection is reported where `done` is awaited
  return entered;
}

/** Retries a change until it is made. Milliseconds since `since` (microseconds), or NaN at the timeout. */
async function msUntilMade(change: () => Promise<unknown>, since: number): Promise<number> {
  const attempt = (): Promise<boolean> =>
    change().then(
      () => true,
      () => false,
    );
  const isMade = await pollUntil(attempt, { timeoutMs: CHANGE_TIMEOUT_MS, everyMs: 5 });
  return isMade ? Math.round((monotonic() - since) / 1000) : NaN;
}

/** Two of three servers are killed while A has the lock, and are started again. */
const playWithoutQuorum =
  (kind: Kind) =>
  async (env: DrillEnvironment): Promise<void> => {
    const ensemble = await START[kind](env, MEMBERS, SHORT_MS);
    const A = await env.buyer('A', ensemble.place());
    await A.runUntil(before('UPDATE balance SET amount'));
    env.fact('A has the lock, according to the servers', isQueue(await ensemble.queue(kind), 'A'));

    const lost = ensemble.members.slice(0, 2);
    await Promise.all(lost.map(({ server }) => server.kill()));
    env.note('drill', 'two of three servers are killed');
    env.fact(
      'two of three servers are dead',
      lost.every(({ server }) => !server.isUp),
    );
    await inTime(env, 'no server is the leader, according to the one that is left', async () => {
      const leaders = await ensemble.leaders();
      return leaders.length === 0;
    });
    const B = await env.buyer('B', ensemble.place());
    const begun = monotonic();
    await B.finish();
    env.figure('ms until B received its error', Math.round(((B.endedAt ?? Infinity) - begun) / 1000));
    env.fact('B gets no lock, but the error that the servers are down', B.outcome === 'DEPENDENCY.DOWN');
    await A.finish();

    await Promise.all(lost.map(({ server }) => server.start()));
    await inTime(env, 'there is a leader again', async () => (await ensemble.leaders()).length === 1);
    const C = await env.buyer('C', ensemble.place());
    await C.runUntil(before('SELECT'));
    const [first] = await ensemble.queue(kind);
    env.fact('C has the lock, according to the servers', first?.buyer === 'C');
    await C.finish();
  };

interface Row {
  readonly failure: string;
  readonly shows: string;
  readonly certainBy: string;
  readonly play: (kind: Kind) => Drill['play'];
  readonly stock?: number;
}

const ROWS: readonly Row[] = [
  {
    failure: 'leader-killed',
    shows: 'another leader is elected, and A keeps its lock: no other buyer gets it',
    certainBy: 'the leader, according to itself, is killed while A is held before its write',
    play: (kind) => play(kind, { failure: 'killed', role: 'leader' }),
  },
  {
    failure: 'leader-stopped',
    shows: 'the others elect a new leader, and the old one steps down when it resumes; A keeps its lock',
    certainBy: 'the leader, according to itself, is stopped while A is held before its write',
    play: (kind) => play(kind, { failure: 'stopped', role: 'leader' }),
  },
  {
    failure: 'member-killed',
    shows: "A's server is killed: its client connects to another one, and A keeps its lock",
    certainBy: 'the follower that A is connected to is killed while A is held before its write',
    play: (kind) => play(kind, { failure: 'killed', role: 'follower' }),
  },
  {
    failure: 'quorum-lost',
    shows: 'without a majority no buyer gets a lock, and nothing is sold twice; with a majority C buys',
    certainBy: 'two of three servers are killed while A is held before its write',
    play: playWithoutQuorum,
    stock: 2,
  },
];

const KINDS: readonly Kind[] = ['zookeeper', 'etcd'];

export const LEADER_LOSS: readonly Drill[] = ROWS.flatMap(({ failure, ...row }) =>
  KINDS.map((kind) => ({
    ...row,
    name: `${failure}/${kind}`,
    strategy: kind,
    options: { waitMs: 30_000 },
    needs: [kind],
    play: row.play(kind),
  })),
);
