import type { FakedClock, ServerPark, StartedRedis, FaultProxy } from '#lab/stack';
import type { Buyer } from '../buyer';
import { before } from '../messages';
import { ownerAt, WRITE } from './one-redis';
import type { DrillEnvironment } from '../drill-environment';

/** Five independent Redis servers. The third one is the target of the fault. */
export interface Voters {
  readonly all: readonly StartedRedis[];
  readonly third: StartedRedis;
  /** The token of the lock's owner at each voter, in their order; null: the lock is free there. */
  readonly owners: (env: DrillEnvironment) => Promise<readonly (string | null)[]>;
}

/** Options of the third voter. */
interface Third {
  readonly args?: readonly string[];
  readonly clock?: FakedClock;
}

export async function startVoters(park: ServerPark, { args = [], clock }: Third = {}): Promise<Voters> {
  const [one, two, third, four, five] = await Promise.all([
    park.redis('redis-1'),
    park.redis('redis-2'),
    park.redis('redis-3', args, clock?.env),
    park.redis('redis-4'),
    park.redis('redis-5'),
  ]);
  const all = [one, two, third, four, five];
  return { all, third, owners: (env) => Promise.all(all.map((voter) => ownerAt(voter, env.lockKey))) };
}

/** A's majority. */
interface Majority {
  readonly A: Buyer;
  /** The token that A has set at its voters. */
  readonly token: string;
}

/** A takes the lock by exactly three votes, because two voters are unreachable. It is held before its write. */
export async function exactMajority(env: DrillEnvironment, voters: Voters): Promise<Majority> {
  const networks = await Promise.all(voters.all.map(({ url }) => env.park.faultProxy(url)));
  const [, , , four, five] = networks.map(({ faultProxy }) => faultProxy) as [
    FaultProxy,
    FaultProxy,
    FaultProxy,
    FaultProxy,
    FaultProxy,
  ];
  four.cut();
  five.cut();
  const A = await env.buyer('A', { servers: { voters: networks.map(({ url }) => url) } });
  await A.runUntil(WRITE);
  four.mend();
  five.mend();
  const [token = null, ...others] = await voters.owners(env);
  env.fact(
    'A holds the lock by exactly three votes of five',
    token !== null && same(others, [token, token, null, null]),
  );
  return { A, token: token ?? '' };
}

/** B requests the lock from all five voters and gets the votes that A does not have. */
export async function otherMajority(
  env: DrillEnvironment,
  voters: Voters,
  { A, token }: Majority,
): Promise<void> {
  env.fact(
    "the third voter has lost A's lock, the other two have not",
    same(await voters.owners(env), [token, token, null, null, null]),
  );
  const B = await env.buyer('B', { servers: everywhere(voters) });
  await B.runUntil(before('UPDATE'));
  const [, , third = null, ...others] = await voters.owners(env);
  env.fact(
    'B holds the same lock by the other three votes',
    third !== null && third !== token && same(others, [third, third]),
  );
  await B.finish();
  await A.finish();
}

/** The addresses of all voters, without a fault proxy. */
export const everywhere = ({ all }: Voters): { readonly voters: readonly string[] } => ({
  voters: all.map(({ url }) => url),
});

export const same = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((one, i) => one === others[i]);
