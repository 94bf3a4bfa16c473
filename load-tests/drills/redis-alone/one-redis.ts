import { withRedis, type StartedRedis } from '#lab/stack';
import { before, type Breakpoint } from '../messages';
import type { Buyer } from '../buyer';
import type { BuyerServers, DrillEnvironment } from '../drill-environment';

/** The write of the balance itself: not the one that shows the row a fencing token. */
export const WRITE: Breakpoint = before('UPDATE balance SET amount');

/** Who has the lock by what the server says: the token of its owner; null: nobody. */
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

/** SIGKILL, and a new process on the same address and with the same files. */
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
  env.note(name, `is back as process ${now ?? '?'}`);
  env.fact(
    `${name} was killed, and another process answers`,
    now !== undefined && now !== String(pid) && now === String(server.pid),
  );
}

/** B comes while A believes itself the owner; says whether the lock still keeps it out. */
export async function secondBuyer(
  env: DrillEnvironment,
  redis: StartedRedis,
  first: string | null,
  isKept: boolean,
  place: BuyerServers = { redis: redis.url },
): Promise<Buyer> {
  const atHand = await ownerAt(redis, env.lockKey);
  if (isKept) {
    env.fact("the lock is still there, and A's", first !== null && atHand === first);
    const B = await env.buyer('B', place);
    await B.finish();
    env.fact('B is refused by the lock', B.outcome === 'LOCK.NOT_OBTAINED');
    return B;
  }
  env.fact('the lock is gone', atHand === null);
  const B = await env.buyer('B', place);
  await B.runUntil(before('UPDATE'));
  const second = await ownerAt(redis, env.lockKey);
  env.fact('B holds the same lock, too', second !== null && second !== first);
  await B.finish();
  return B;
}
