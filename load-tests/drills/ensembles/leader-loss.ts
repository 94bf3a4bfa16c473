import type { Member } from '#lab/stack';
import { monotonic } from '#lab/step';
import { setTimeout as delay } from 'node:timers/promises';
import type { Buyer } from '../buyer';
import type { Drill } from '../drill';
import { inTime } from './in-time';
import { memberWith, START, type Ensemble, type Kind, type Ticket } from './lock-servers';
import { before } from '../messages';
import type { DrillEnvironment } from '../drill-environment';

const MEMBERS = 3;
const PATIENCE_MS = 20_000;
/** Milliseconds that sessions and leases last: longer than two elections on a busy machine. */
const LONG_MS = 8000;
/** Milliseconds: whose session or lease ends when nobody prolongs it is not waited for too long. */
const SHORT_MS = 3000;
/** By which a buyer gives its lock back. */
const RELEASE: Readonly<Record<Kind, string>> = { zookeeper: 'DELETE', etcd: 'REVOKE' };

interface Loss {
  readonly failure: 'killed' | 'stopped';
  readonly whose: 'leader' | 'follower';
}

/**
 * A has the lock and stands before its write, B waits for it; one of three servers is lost. A's session must outlive that:
 * B gets the lock only when A has given it back. C comes later, and has a greater fence than both.
 */
const play =
  (kind: Kind, { failure, whose }: Loss) =>
  async (env: DrillEnvironment): Promise<void> => {
    const ensemble = await START[kind](env, MEMBERS, LONG_MS);
    const { queue, members } = ensemble;
    const [leader] = await ensemble.leaders();
    if (leader === undefined) throw new Error('three members answer, and none of them leads');
    const followers = members.filter((member) => member !== leader);

    // A is connected to the one that is lost, or to any
    const A = await env.buyer('A', ensemble.place(whose === 'leader' ? members : followers));
    await A.runUntil(before('UPDATE balance SET amount'));
    const B = await env.buyer('B', ensemble.place());
    const entered = goIn(B);
    await inTime(env, 'A has the lock and B waits, say the servers', async () =>
      isQueue(await queue(kind), 'A', 'B'),
    );
    const [held, waiting] = await queue(kind);

    const lost = whose === 'leader' ? leader : await connected(ensemble, kind, held, followers);
    const others = members.filter((member) => member !== lost);
    const asB = await ensemble.changes(members);
    const ofOthers = await Promise.all(others.map((member) => ensemble.changes([member])));
    const isLeader = (await ensemble.leaders()).includes(lost);
    env.fact(`it is the ${whose}, by its own word`, isLeader === (whose === 'leader'));
    const since = monotonic();
    if (failure === 'killed') await lost.server.kill();
    else await lost.server.pause();
    env.note('drill', `the ${whose} is ${failure}`);
    const isLost = failure === 'killed' ? !lost.server.isUp : lost.server.isUp && !lost.server.isRunning;
    env.fact(`the ${whose} is ${failure}`, isLost);
    // only from now on: that a change is in flight when the leader dies is another story
    const seen = untilMade(asB, since);
    const possible = Promise.race([seen, ...ofOthers.map((change) => untilMade(change, since))]);
    await inTime(env, 'one of the others leads, by its own word', async () => {
      const leaders = await ensemble.leaders();
      return leaders.some((member) => others.includes(member));
    });
    env.figure('ms in which no change was possible', await possible);
    env.figure('ms without an answer, as B would see it', await seen);
    env.fact('changes are possible again, also for who is connected like B', !Number.isNaN(await seen));
    await inTime(env, "A's client is connected to one of the others, in the same session or lease", () =>
      moved(ensemble, kind, A, held, others, since),
    );

    const [first] = await queue(kind);
    env.fact(
      'A still has the lock, in the same session or lease, say the servers',
      first?.buyer === 'A' && first.session === held?.session && first.fence === held?.fence,
    );
    env.fact('B still waits', entered.at === undefined);
    await A.finish();
    await entered.done;
    const released = A.answered(RELEASE[kind])?.at ?? Infinity;
    env.fact('B had the lock only after A had begun to give it back', (entered.at ?? 0) > released);
    await B.finish();
    if (failure === 'stopped') {
      lost.server.resume();
      await inTime(
        env,
        'the one that was stopped goes on, and does not lead, by its own word',
        async () => lost.server.isRunning && !(await ensemble.leaders()).includes(lost),
      );
    }

    const C = await env.buyer('C', ensemble.place(others));
    await C.runUntil(before('SELECT'));
    const [last] = await queue(kind);
    const fences = [held, waiting, last].map((ticket) => ticket?.fence ?? 0);
    env.figure('fences of A, B, C', fences.join(', '));
    const [a = 0, b = 0, c = 0] = fences;
    env.fact("no fence repeats: A's is less than B's, B's less than C's", 0 < a && a < b && b < c);
    await C.finish();
  };

/** The follower that A's session is at. An etcd client begins with the first of its list. */
async function connected(
  ensemble: Ensemble,
  kind: Kind,
  held: Ticket | undefined,
  followers: readonly Member[],
): Promise<Member> {
  const member = kind === 'etcd' ? followers[0] : await memberWith(ensemble, held?.session);
  if (member === undefined || !followers.includes(member)) throw new Error('A is connected to no follower');
  return member;
}

/** ZooKeeper's servers say who is connected to them; of etcd a lease that was prolonged says so. */
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

/** Lets a buyer wait for the lock; it is held when it is inside. */
function goIn(buyer: Buyer): { at: number | undefined; readonly done: Promise<void> } {
  const entered: { at: number | undefined; done: Promise<void> } = { at: undefined, done: Promise.resolve() };
  entered.done = buyer.runUntil(before('SELECT')).then(() => {
    entered.at = monotonic();
  });
  entered.done.catch(() => undefined); // told when it is awaited
  return entered;
}

/** Asks for a change until it is made; milliseconds since `since`, NaN when that takes too long. */
async function untilMade(change: () => Promise<unknown>, since: number): Promise<number> {
  const took = (): number => Math.round((monotonic() - since) / 1000);
  for (;;) {
    const isMade = await change().then(
      () => true,
      () => false,
    );
    if (isMade) return took();
    if (took() > PATIENCE_MS) return NaN;
    await delay(5);
  }
}

/** Two of three servers are killed while A has the lock; they come back. */
const playWithoutQuorum =
  (kind: Kind) =>
  async (env: DrillEnvironment): Promise<void> => {
    const ensemble = await START[kind](env, MEMBERS, SHORT_MS);
    const A = await env.buyer('A', ensemble.place());
    await A.runUntil(before('UPDATE balance SET amount'));
    env.fact('A has the lock, say the servers', isQueue(await ensemble.queue(kind), 'A'));

    const lost = ensemble.members.slice(0, 2);
    await Promise.all(lost.map(({ server }) => server.kill()));
    env.note('drill', 'two of three servers are killed');
    env.fact(
      'two of three servers are dead',
      lost.every(({ server }) => !server.isUp),
    );
    await inTime(env, 'nobody leads, by the own word of who is left', async () => {
      const leaders = await ensemble.leaders();
      return leaders.length === 0;
    });
    const B = await env.buyer('B', ensemble.place());
    const begun = monotonic();
    await B.finish();
    env.figure('ms until B was told', Math.round(((B.endedAt ?? Infinity) - begun) / 1000));
    env.fact('B gets no lock, and is told that the servers are down', B.outcome === 'DEPENDENCY.DOWN');
    await A.finish();

    await Promise.all(lost.map(({ server }) => server.start()));
    await inTime(env, 'somebody leads again', async () => (await ensemble.leaders()).length === 1);
    const C = await env.buyer('C', ensemble.place());
    await C.runUntil(before('SELECT'));
    const [first] = await ensemble.queue(kind);
    env.fact('C has the lock, say the servers', first?.buyer === 'C');
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
    shows: 'another one is elected, and A keeps its lock: nobody is let in',
    certainBy: 'the leader, by its own word, is killed while A stands before its write',
    play: (kind) => play(kind, { failure: 'killed', whose: 'leader' }),
  },
  {
    failure: 'leader-stopped',
    shows: 'the others elect another one, and the old one gives way when it goes on; A keeps its lock',
    certainBy: 'the leader, by its own word, is stopped while A stands before its write',
    play: (kind) => play(kind, { failure: 'stopped', whose: 'leader' }),
  },
  {
    failure: 'member-killed',
    shows: 'the server that A is connected to: its client goes to another one, and A keeps its lock',
    certainBy: 'the follower that A is connected to is killed while A stands before its write',
    play: (kind) => play(kind, { failure: 'killed', whose: 'follower' }),
  },
  {
    failure: 'quorum-lost',
    shows: 'no lock for anybody without a majority, nothing sold twice; with it C buys',
    certainBy: 'two of three servers are killed while A stands before its write',
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
