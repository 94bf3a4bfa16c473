import { withRedis, type ServerPark, type StartedRedis, type Wire } from '#lab/stack';
import { setTimeout as delay } from 'node:timers/promises';
import type { Drill } from './drill';
import { after, before } from './messages';
import type { Stage } from './stage';

/** A primary and its replica. Clients come over a wire that is led to whoever is the primary. */
interface Pair {
  readonly primary: StartedRedis;
  readonly replica: StartedRedis;
}

async function startPair(park: ServerPark): Promise<Pair> {
  const primary = await park.redis('primary');
  const { hostname, port } = new URL(primary.url);
  const replica = await park.redis('replica-1', ['--replicaof', hostname, port]);
  await inSync(primary);
  return { primary, replica };
}

async function inSync({ url }: StartedRedis): Promise<void> {
  await withRedis(url, async (redis) => {
    while ((await redis.wait(1, 100)) < 1) {
      await redis.publish('lab:sync', ''); // a replica acknowledges at the next write, and this leaves no key
      await delay(5);
    }
  });
}

/** From now on nothing reaches the replica; it will be promoted with what it has. DESIGN.md, "Traps": 30 of 30. */
async function cutReplication({ primary, replica }: Pair): Promise<void> {
  await replica.server.pause();
  await withRedis(primary.url, (redis) => redis.client('KILL', 'TYPE', 'replica'));
}

/** The primary dies for good; the replica goes on as primary, and the wires lead to it. */
async function failOver(stage: Stage, { primary, replica }: Pair, wires: readonly Wire[]): Promise<void> {
  await primary.server.kill();
  stage.note('primary', 'killed');
  replica.server.resume();
  const role = await withRedis(replica.url, async (redis) => {
    await redis.replicaof('NO', 'ONE');
    return (await redis.role()) as [string];
  });
  stage.note('replica-1', `promoted: ${role[0]}`);
  stage.fact('the primary is dead and its replica is primary', !primary.server.isUp && role[0] === 'master');
  const { hostname, port } = new URL(replica.url);
  for (const wire of wires) wire.lead(hostname, Number(port));
}

/** A takes the lock and stands before its write; the failover loses the lock; B comes, buys; A goes on. */
const play =
  (acquire: string) =>
  async (stage: Stage): Promise<void> => {
    const pair = await startPair(stage.park);
    const wires = await Promise.all([1, 2].map(() => stage.park.wire(pair.primary.url)));
    const [one, two] = wires.map(({ url }) => url);
    const A = await stage.buyer('A', { ...(one !== undefined && { redis: one }) });
    await cutReplication(pair);
    await A.runUntil(after(acquire));
    stage.fact('A holds the lock', A.answered(acquire) !== undefined);
    await A.runUntil(before('UPDATE'));
    await failOver(
      stage,
      pair,
      wires.map(({ wire }) => wire),
    );
    const B = await stage.buyer('B', { ...(two !== undefined && { redis: two }) });
    await B.finish();
    stage.fact('B holds the same lock, too', B.answered(acquire) !== undefined);
    await A.finish();
  };

export const REDIS_FAILOVER: readonly Drill[] = [
  {
    name: 'failover/token-lua',
    shows: 'the lock was on the dead primary only: two holders',
    certainBy: 'the replica stands still and its connection is cut before the lock is taken',
    strategy: 'token-lua',
    options: { leaseMs: 30_000 },
    expected: { must: ['oversold', 'lost-update'], may: [] },
    play: play('SET'),
  },
];
