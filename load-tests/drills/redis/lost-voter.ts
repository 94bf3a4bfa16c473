import type { Buyer } from '../buyer';
import type { Drill } from '../drill';
import { before } from '../messages';
import { startVoters } from '../redis-alone/voters';
import type { DrillEnvironment } from '../drill-environment';

const VOTERS = 5;

/** The number of voters that granted the buyer's first attempt. */
const granted = ({ steps }: Buyer): number => {
  const votes = steps.filter(({ script }) => script === 'acquire-redlock').slice(0, VOTERS);
  return votes.filter(({ reply }) => reply === 1 || reply === 'OK').length;
};

/** A holds all five voters when one is killed: B gets no majority of the four. C gets it after A. */
async function play(env: DrillEnvironment): Promise<void> {
  const { all: voters } = await startVoters(env.park);
  const place = { servers: { voters: voters.map(({ url }) => url) } };
  const A = await env.buyer('A', place);
  await A.runUntil(before('UPDATE'));
  env.fact('A holds five voters', granted(A) === VOTERS);
  const lost = voters[0]?.server;
  await lost?.kill();
  env.note('redis-1', 'killed');
  env.fact('one voter is dead', lost?.isUp === false);
  const B = await env.buyer('B', { ...place, options: { waitMs: 0 } });
  await B.finish();
  env.fact('no voter granted the lock to B', granted(B) === 0);
  await A.finish();
  const C = await env.buyer('C', place);
  await C.finish();
  env.fact('C held the four voters that are left', granted(C) === VOTERS - 1);
}

/** One of several independent servers is lost. */
export const LOST_VOTER: readonly Drill[] = [
  {
    name: 'failover/redlock',
    shows:
      'one of five independent servers is killed: the four that are left still have the lock and grant the next one',
    certainBy: 'A holds all five when one is killed',
    strategy: 'redlock',
    options: { leaseMs: 30_000 },
    play,
  },
];
