import { withRedis, type StartedRedis } from '#lab/stack';
import { setTimeout as delay } from 'node:timers/promises';
import type { DrillEnvironment } from '../drill-environment';

const COUNT = 3;
const QUORUM = 2;
const DOWN_AFTER_MS = 500;
const FAILOVER_MS = 2000;
/** Longer than an election that has to be held again. */
const PATIENCE_MS = 30_000;

/** Three Sentinels that know the primary's replicas and one another. */
export async function startSentinels(
  env: DrillEnvironment,
  primary: StartedRedis,
  replicas: number,
): Promise<readonly StartedRedis[]> {
  const watch = { url: primary.url, quorum: QUORUM, downAfterMs: DOWN_AFTER_MS, failoverMs: FAILOVER_MS };
  const sentinels = await Promise.all(
    Array.from({ length: COUNT }, (_, i) => env.park.sentinel(`sentinel-${i + 1}`, watch)),
  );
  await Promise.all(sentinels.map((sentinel) => acquainted(sentinel, replicas)));
  return sentinels;
}

async function acquainted({ url }: StartedRedis, replicas: number): Promise<void> {
  await withRedis(url, async (redis) => {
    for (;;) {
      const known = pairs(await redis.call('SENTINEL', 'MASTER', 'lab'));
      if (Number(known['num-slaves']) === replicas && Number(known['num-other-sentinels']) === COUNT - 1)
        return;
      await delay(50);
    }
  });
}

const pairs = (reply: unknown): Readonly<Record<string, string>> => {
  const flat = reply as string[];
  return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? '']] : [])));
};

/** Resolves with the server that all Sentinels have agreed on since the primary was killed. Rejects when they never do. */
export async function elected(
  env: DrillEnvironment,
  sentinels: readonly StartedRedis[],
  primary: StartedRedis,
  replicas: readonly StartedRedis[],
): Promise<StartedRedis> {
  const killed = performance.now();
  const since = (): number => Math.round(performance.now() - killed);
  const believed = await Promise.all(
    sentinels.map(async (sentinel) => {
      const [url, epoch] = await anotherThan(primary.url, sentinel);
      env.note(sentinel.server.name, `says that the primary is ${url} since epoch ${epoch}`);
      return { url, epoch: Number(epoch), ms: since() };
    }),
  );
  env.figure('the first Sentinel names the new primary after ms', Math.min(...believed.map(({ ms }) => ms)));
  const heir = replicas.find(({ url }) => believed.every((one) => one.url === url));
  env.fact('all Sentinels name the same replica', heir !== undefined);
  env.fact(
    'it was an election: the epoch has grown',
    believed.every(({ epoch }) => epoch > 0),
  );
  if (heir === undefined) throw new Error('the Sentinels do not agree');
  return heir;
}

async function anotherThan(old: string, { url }: StartedRedis): Promise<[url: string, epoch: string]> {
  const until = performance.now() + PATIENCE_MS;
  return withRedis(url, async (redis) => {
    while (performance.now() < until) {
      const known = pairs(await redis.call('SENTINEL', 'MASTER', 'lab'));
      const address = `redis://${known['ip']}:${known['port']}`;
      if (address !== old) return [address, known['config-epoch'] ?? '0'];
      await delay(20);
    }
    throw new Error(`the Sentinels have elected nobody within ${PATIENCE_MS / 1000} s`);
  });
}
