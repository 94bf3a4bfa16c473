import type { Buyer } from '../buyer';
import type { Drill } from '../drill';
import { before } from '../messages';
import { startVoters } from '../redis-alone/voters';
import type { Stage } from '../stage';

const VOTERS = 5;

/** On how many voters the buyer's first try was granted. */
const granted = ({ steps }: Buyer): number => {
  const votes = steps.filter(({ script }) => script === 'acquire-redlock').slice(0, VOTERS);
  return votes.filter(({ reply }) => reply === 1 || reply === 'OK').length;
};

/** A holds all five voters when one dies: B gets no majority of the four, and C, after A, does. */
async function play(stage: Stage): Promise<void> {
  const { all: voters } = await startVoters(stage.park);
  const place = { servers: { voters: voters.map(({ url }) => url) } };
  const A = await stage.buyer('A', place);
  await A.runUntil(before('UPDATE'));
  stage.fact('A holds five voters', granted(A) === VOTERS);
  const lost = voters[0]?.server;
  await lost?.kill();
  stage.note('redis-1', 'killed');
  stage.fact('one voter is dead', lost?.isUp === false);
  const B = await stage.buyer('B', { ...place, options: { waitMs: 0 } });
  await B.finish();
  stage.fact('no voter was granted to B', granted(B) === 0);
  await A.finish();
  const C = await stage.buyer('C', place);
  await C.finish();
  stage.fact('C has held the four voters that are left', granted(C) === VOTERS - 1);
}

/** One of several independent servers is lost. */
export const LOST_VOTER: readonly Drill[] = [
  {
    name: 'failover/redlock',
    shows: 'one of five independent servers dies: the four that are left know the lock, and go on',
    certainBy: 'A holds all five when one is killed',
    strategy: 'redlock',
    options: { leaseMs: 30_000 },
    play,
  },
];
