import type { Expectation } from '#lab/strategy';
import type { Buyer } from '../buyer';
import { OVERSOLD, type Drill } from '../drill';
import { after, before, type Breakpoint } from '../messages';
import type { DrillEnvironment } from '../drill-environment';
import { cutReplication, failOver, leadTo, roadsTo, startReplicaSet } from './replica-set';

const TAKES = 'acquire-with-fence';

/** The fencing token that the buyer was given; undefined: none. */
const tokenOf = (buyer: Buyer): number | undefined =>
  buyer.took(TAKES) ? Number(buyer.answered(TAKES)?.reply) : undefined;

interface Variant {
  readonly name: string;
  readonly strategy: string;
  readonly shows: string;
  /** Where A stands when B comes. */
  readonly aStands: Breakpoint;
  /** Where B stands while A buys; absent: B is done before A goes on. */
  readonly bStands?: Breakpoint;
  /** Somebody drew a token before A, and died: then A's is greater than B's. */
  readonly falls?: true;
  readonly expected?: Expectation;
}

const VARIANTS: readonly Variant[] = [
  {
    name: 'fence/fenced',
    strategy: 'fenced',
    shows: 'the row has seen A with this token: B, who holds the lock now, is refused; A buys',
    aStands: before('UPDATE balance SET amount'),
  },
  {
    name: 'fence/fenced-late',
    strategy: 'fenced',
    shows: 'B has shown the token first: A comes with the same one, and is refused by its name',
    aStands: after(TAKES),
  },
  {
    name: 'fence/fenced-write',
    strategy: 'fenced-write',
    shows: 'B has written with this token: A comes with the same one, and is refused',
    aStands: before('UPDATE'),
  },
  {
    name: 'fence/fenced-write-between',
    strategy: 'fenced-write',
    shows:
      "A writes between B's read and write: with a greater token B would oversell, with the same one it is refused",
    aStands: before('UPDATE'),
    bStands: before('UPDATE'),
  },
  {
    name: 'fence/falls-fenced-write',
    strategy: 'fenced-write',
    shows: 'the counter has fallen back by two: A, who is stale, has the greater token, and its write passes',
    aStands: before('UPDATE'),
    falls: true,
    expected: OVERSOLD,
  },
  {
    name: 'fence/falls-fenced',
    strategy: 'fenced',
    shows: 'the same, but A shows its token before it reads: it reads what B has left',
    aStands: after(TAKES),
    falls: true,
  },
];

/** The counter was on the dead primary as well: both holders are given the same token. */
async function play(env: DrillEnvironment, { aStands, bStands, falls }: Variant): Promise<void> {
  const set = await startReplicaSet(env.park, 1);
  const [heir] = set.replicas;
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { redis: toA.url });
  await cutReplication(env, set);
  if (falls) await drawAndDie(env, toA.url);
  await A.runUntil(aStands);
  await failOver(env, set, heir);
  leadTo(heir, toA, toB);
  const B = await env.buyer('B', { redis: toB.url });
  if (bStands === undefined) await B.finish();
  else await B.runUntil(bStands);
  env.figure('tokens of A and B', `${tokenOf(A) ?? '-'}, ${tokenOf(B) ?? '-'}`);
  const [a = 0, b = 0] = [tokenOf(A), tokenOf(B)];
  if (falls) env.fact("A's token is greater than B's", b > 0 && a > b);
  else env.fact('A and B hold the lock with the same token', b > 0 && a === b);
  await A.finish();
  await B.finish();
}

/** The lock is free again when its short lease has ended: A waits for it. */
async function drawAndDie(env: DrillEnvironment, redis: string): Promise<void> {
  const first = await env.buyer('A0', { redis, options: { leaseMs: 10 } });
  await first.runUntil(after(TAKES));
  await first.kill();
}

/** The row has seen tokens that the new primary does not know: whoever comes is refused until it has caught up. */
async function playBehind(env: DrillEnvironment): Promise<void> {
  const set = await startReplicaSet(env.park, 1);
  const [heir] = set.replicas;
  const [toA, toB] = await roadsTo(env.park, set.primary);
  await cutReplication(env, set);
  let lost = 0;
  for (const name of ['A1', 'A2']) {
    const buyer = await env.buyer(name, { redis: toA.url });
    await buyer.finish();
    lost = tokenOf(buyer) ?? 0;
  }
  await failOver(env, set, heir);
  leadTo(heir, toB);
  const tokens: (number | undefined)[] = [];
  let refused = 0;
  for (const name of ['B1', 'B2', 'B3']) {
    const buyer = await env.buyer(name, { redis: toB.url });
    await buyer.finish();
    tokens.push(tokenOf(buyer));
    if (buyer.outcome === 'LOCK.FENCED') refused++;
  }
  env.fact(
    `the tokens up to ${lost} were given out twice`,
    tokens.slice(0, lost).every((token, i) => token === i + 1),
  );
  env.fact('the first one above is sold to', tokens[lost] === lost + 1);
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
    shows: 'two tokens are lost: nothing is sold twice, and two buyers who hold the lock are refused',
    certainBy: 'replication is cut before the tokens are drawn',
    strategy: 'fenced',
    stock: 5,
    options: { leaseMs: 30_000 },
    play: playBehind,
  },
];
