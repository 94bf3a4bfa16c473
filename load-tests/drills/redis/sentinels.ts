import { pollUntil, withRedis, type StartedRedis } from '#lab/stack';
import type { DrillEnvironment } from '../drill-environment';

const COUNT = 3;
const QUORUM = 2;
const DOWN_AFTER_MS = 500;
const FAILOVER_MS = 2000;
const DISCOVERY_MS = 30_000;
/** Longer than an election that has to be repeated. */
const ELECTION_TIMEOUT_MS = 30_000;

/** Starts three Sentinels; resolves when they have discovered the primary's replicas and one another. */
export async function startSentinels(
  env: DrillEnvironment,
  primary: StartedRedis,
  replicas: number,
): Promise<readonly StartedRedis[]> {
  const watch = { url: primary.url, quorum: QUORUM, downAfterMs: DOWN_AFTER_MS, failoverMs: FAILOVER_MS };
  const sentinels = await Promise.all(
    Array.from({ length: COUNT }, (_, i) => env.park.sentinel(`sentinel-${i + 1}`, watch)),
  );
  await Promise.all(sentinels.map((sentinel) => discovered(sentinel, replicas)));
  return sentinels;
}

async function discovered({ url }: StartedRedis, replicas: number): Promise<void> {
  await withRedis(url, async (redis) => {
    const knowsAll = await pollUntil(
      async () => {
        const known = pairs(await redis.call('SENTINEL', 'MASTER', 'lab'));
        return Number(known['num-slaves']) === replicas && Number(known['num-other-sentinels']) === COUNT - 1;
      },
      { timeoutMs: DISCOVERY_MS, everyMs: 50 },
    );
    if (!knowsAll)
      throw new Error(`the Sentinel at ${url} did not discover the others in ${DISCOVERY_MS} ms`);
  });
}

const pairs = (reply: unknown): Readonly<Record<string, string>> => {
  const flat = reply as string[];
  return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? '']] : [])));
};

/** The replica that all Sentinels name as the new primary. Rejects when they disagree or elect none in time. */
export async function elected(
  env: DrillEnvironment,
  sentinels: readonly StartedRedis[],
  primary: StartedRedis,
  replicas: readonly StartedRedis[],
): Promise<StartedRedis> {
  const killed = performance.now();
  const since = (): number => Math.round(performance.now() - killed);
  const named = await Promise.all(
    sentinels.map(async (sentinel) => {
      const [url, epoch] = await newPrimary(primary.url, sentinel);
      env.note(sentinel.server.name, `reports the primary ${url} since epoch ${epoch}`);
      return { url, epoch: Number(epoch), ms: since() };
    }),
  );
  env.figure('ms until the first Sentinel named the new primary', Math.min(...named.map(({ ms }) => ms)));
  const successor = replicas.find(({ url }) => named.every((one) => one.url === url));
  env.fact('all Sentinels name the same replica', successor !== undefined);
  env.fact(
    'an election took place: the epoch has increased',
    named.every(({ epoch }) => epoch > 0),
  );
  if (successor === undefined) throw new Error('The Sentinels do not name the same new primary');
  return successor;
}

/** Resolves when the Sentinel names another primary than `old`. Rejects at the timeout. */
async function newPrimary(old: string, { url }: StartedRedis): Promise<[url: string, epoch: string]> {
  return withRedis(url, async (redis) => {
    let [address, epoch] = [old, '0'];
    const isNew = async (): Promise<boolean> => {
      const known = pairs(await redis.call('SENTINEL', 'MASTER', 'lab'));
      [address, epoch] = [`redis://${known['ip']}:${known['port']}`, known['config-epoch'] ?? '0'];
      return address !== old;
    };
    if (await pollUntil(isNew, { timeoutMs: ELECTION_TIMEOUT_MS, everyMs: 20 })) return [address, epoch];
    throw new Error(`The Sentinels elected no primary within ${ELECTION_TIMEOUT_MS / 1000} s`);
  });
}
