import { withRedis, type StartedRedis } from '#lab/stack';
import { before, type Breakpoint } from '../messages';
import type { Buyer } from '../buyer';
import type { BuyerServers, DrillEnvironment } from '../drill-environment';

/** The write of the balance itself, not the UPDATE that registers a fencing token. */
export const WRITE: Breakpoint = before('UPDATE balance SET amount');

/** The token of the lock's owner, according to the server; null: the lock is free. */
export const ownerAt = ({ url }: Pick<StartedRedis, 'url'>, key: string): Promise<string | null> =>
  withRedis(url, (redis) => redis.get(key));

/** A section of INFO. */
export const info = async (
  { url }: StartedRedis,
  section: string,
): Promise<Readonly<Record<string, string>>> => {
  const text = await withRedis(url, (redis) => redis.info(section));
  return Object.fromEntries(
    [...text.matchAll(/^(\w+):(.*)\r$/gm)].map(([, key = '', value = '']) => [key, value]),
  );
};

/** SIGKILL, then a new process on the same address and with the same files; `meanwhile` runs in between. */
export async function killAndRestart(
  env: DrillEnvironment,
  { server, url }: StartedRedis,
  meanwhile: () => void | Promise<void> = () => undefined,
): Promise<void> {
  const { pid, name } = server;
  await server.kill();
  env.note(name, 'killed');
  await meanwhile();
  await server.start();
  const { process_id: now } = await info({ server, url }, 'server');
  env.note(name, `restarted as process ${now ?? '?'}`);
  env.fact(
    `${name} was killed, and another process answers`,
    now !== undefined && now !== String(pid) && now === String(server.pid),
  );
}

/** B buys while A still considers itself the owner. Records as facts whether the lock still excludes B. */
export async function secondBuyer(
  env: DrillEnvironment,
  redis: StartedRedis,
  first: string | null,
  isKept: boolean,
  place: BuyerServers = { redis: redis.url },
): Promise<Buyer> {
  const current = await ownerAt(redis, env.lockKey);
  if (isKept) {
    env.fact("the lock is still there, and A's", first !== null && current === first);
    const B = await env.buyer('B', place);
    await B.finish();
    env.fact('B is refused by the lock', B.outcome === 'LOCK.NOT_OBTAINED');
    return B;
  }
  env.fact('the lock is gone', current === null);
  const B = await env.buyer('B', place);
  await B.runUntil(before('UPDATE'));
  const second = await ownerAt(redis, env.lockKey);
  env.fact('B holds the same lock', second !== null && second !== first);
  await B.finish();
  return B;
}
