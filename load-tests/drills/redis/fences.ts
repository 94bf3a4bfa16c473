import type { Expectation } from '#lab/strategy';
import type { Buyer } from '../buyer';
import { OVERSOLD, type Drill } from '../drill';
import { after, before, type Breakpoint } from '../messages';
import type { DrillEnvironment } from '../drill-environment';
import { cutReplication, failOver, leadTo, roadsTo, startReplicaSet } from './replica-set';

const TAKES = 'acquire-with-fence';

/** The fencing token that the buyer received; undefined: none. */
const tokenOf = (buyer: Buyer): number | undefined =>
  buyer.took(TAKES) ? Number(buyer.answered(TAKES)?.reply) : undefined;

interface Variant {
  readonly name: string;
  readonly strategy: string;
  readonly shows: string;
  /** Where A is held when B starts. */
  readonly aHeldAt: Breakpoint;
  /** Where B is held while A buys; absent: B ends before A continues. */
  readonly bHeldAt?: Breakpoint;
  /** Another buyer draws a token before A and is killed, so that A's token is greater than B's. */
  readonly drawsBeforeA?: true;
  readonly expected?: Expectation;
}

const VARIANTS: readonly Variant[] = [
  {
    name: 'fence/fenced',
    strategy: 'fenced',
    shows: 'the row has registered this token for A: B, the current holder of the lock, is refused; A buys',
    aHeldAt: before('UPDATE balance SET amount'),
  },
  {
    name: 'fence/fenced-late',
    strategy: 'fenced',
    shows: 'B registers the token first: A has the same token under another name, and is refused',
    aHeldAt: after(TAKES),
  },
  {
    name: 'fence/fenced-write',
    strategy: 'fenced-write',
    shows: 'B writes with the token first: A has the same token and is refused',
    aHeldAt: before('UPDATE'),
  },
  {
    name: 'fence/fenced-write-between',
    strategy: 'fenced-write',
    shows:
      "A writes between B's read and write: with a greater token B would oversell, with the same token it is refused",
    aHeldAt: before('UPDATE'),
    bHeldAt: before('UPDATE'),
  },
  {
    name: 'fence/falls-fenced-write',
    strategy: 'fenced-write',
    shows:
      'the counter falls back by two: A, the stale holder, has the greater token, and its write is accepted',
    aHeldAt: before('UPDATE'),
    drawsBeforeA: true,
    expected: OVERSOLD,
  },
  {
    name: 'fence/falls-fenced',
    strategy: 'fenced',
    shows: "the same, but A registers its token before it reads: it reads the stock after B's sale",
    aHeldAt: after(TAKES),
    drawsBeforeA: true,
  },
];

/** The failover loses the counter with the lock: both holders receive the same token. */
async function play(env: DrillEnvironment, { aHeldAt, bHeldAt, drawsBeforeA }: Variant): Promise<void> {
  const set = await startReplicaSet(env.park, 1);
  const [successor] = set.replicas;
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { redis: toA.url });
  await cutReplication(env, set);
  if (drawsBeforeA) await drawAndKill(env, toA.url);
  await A.runUntil(aHeldAt);
  await failOver(env, set, successor);
  leadTo(successor, toA, toB);
  const B = await env.buyer('B', { redis: toB.url });
  if (bHeldAt === undefined) await B.finish();
  else await B.runUntil(bHeldAt);
  env.figure('tokens of A and B', `${tokenOf(A) ?? '-'}, ${tokenOf(B) ?? '-'}`);
  const [a = 0, b = 0] = [tokenOf(A), tokenOf(B)];
  if (drawsBeforeA) env.fact("A's token is greater than B's", b > 0 && a > b);
  else env.fact('A and B hold the lock with the same token', b > 0 && a === b);
  await A.finish();
  await B.finish();
}

/** A buyer draws a token and is killed. A waits until its short lease has ended. */
async function drawAndKill(env: DrillEnvironment, redis: string): Promise<void> {
  const first = await env.buyer('A0', { redis, options: { leaseMs: 10 } });
  await first.runUntil(after(TAKES));
  await first.kill();
}

/** The row has greater tokens than the new primary's counter: buyers are refused until the counter has caught up. */
async function playBehind(env: DrillEnvironment): Promise<void> {
  const set = await startReplicaSet(env.park, 1);
  const [successor] = set.replicas;
  const [toA, toB] = await roadsTo(env.park, set.primary);
  await cutReplication(env, set);
  let lost = 0;
  for (const name of ['A1', 'A2']) {
    const buyer = await env.buyer(name, { redis: toA.url });
    await buyer.finish();
    lost = tokenOf(buyer) ?? 0;
  }
  await failOver(env, set, successor);
  leadTo(successor, toB);
  const tokens: (number | undefined)[] = [];
  let refused = 0;
  for (const name of ['B1', 'B2', 'B3']) {
    const buyer = await env.buyer(name, { redis: toB.url });
    await buyer.finish();
    tokens.push(tokenOf(buyer));
    if (buyer.outcome === 'LOCK.FENCED') refused++;
  }
  env.fact(
    `the tokens up to ${lost} were assigned twice`,
    tokens.slice(0, lost).every((token, i) => token === i + 1),
  );
  env.fact('the first buyer with a greater token was accepted', tokens[lost] === lost + 1);
  env.figure('tokens lost', lost);
  env.figure('buyers refused until the counter had caught up', refused);
}

/** A fencing token from Redis INCR repeats after a failover. */
export const FENCES: readonly Drill[] = [
  ...VARIANTS.map((variant) => ({
    name: variant.name,
    shows: variant.shows,
    certainBy: 'replication is cut before the token is drawn',
    strategy: variant.strategy,
    ...(variant.expected !== undefined && { expected: variant.expected }),
    options: { leaseMs: 30_000 },
    play: (env: DrillEnvironment) => play(env, variant),
  })),
  {
    name: 'fence/fenced-behind',
    shows: 'two tokens are lost: nothing is sold twice, but two buyers that hold the lock are refused',
    certainBy: 'replication is cut before the tokens are drawn',
    strategy: 'fenced',
    stock: 5,
    options: { leaseMs: 30_000 },
    play: playBehind,
  },
];
