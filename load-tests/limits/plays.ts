import type { Stack } from '#lab/stack';
import type { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { DecisionClient, type LimitAnswer } from './decision-client';
import { redisTime, untilRedisTime } from './redis-time';
import type { LimitRow } from './rows';

/** What a play works with. */
export interface Stage {
  readonly row: LimitRow;
  readonly stack: Stack;
  readonly redis: Redis;
  readonly sender: DecisionClient;
  /** The client that the play is about. */
  readonly client: string;
}

/** What happened, apart from the decisions that the replicas have recorded. */
export interface Played {
  /** Why the run proves nothing. */
  readonly unproved: readonly string[];
  readonly answers: readonly LimitAnswer[];
}

/** Parts of a window: when the requests of the play are released, after the beginning of a window by the clock of Redis. */
const BEFORE_EDGE = 0.6;
const AFTER_EDGE = 1.1;
const STEADY_EVERY = 0.1;
const STEADY_UNTIL = 2;
const PATIENCE_MS = 30_000;

/**
 * Requests around the edge of a window that begins with the clock of Redis. Two requests open the window, one on each replica;
 * the rest of the limit is used up in its second half; after its end come four times the limit at once, and then a steady
 * load. A limiter that forgets all requests at the edge admits nearly twice its limit. The timing is deterministic:
 * the requests are released by the clock of Redis, and a run in which one was late is `unknown`.
 */
export async function playEdge({ row, stack, redis, sender, client }: Stage): Promise<Played> {
  const { max, windowMs } = row.limit;
  const { public: url, lab = url } = stack.urls;
  const answers: LimitAnswer[] = [];
  const send = async (count: number, fault?: string): Promise<void> => {
    answers.push(...(await sender.sendMany(fault === undefined ? url : lab, client, count, fault)));
  };
  const begins = windowMs * Math.ceil((await redisTime(redis)) / windowMs + 0.1);
  const at = (windows: number): number => begins + windows * windowMs;
  await untilRedisTime(redis, begins);
  await send(1);
  await send(1);
  await untilRedisTime(redis, at(BEFORE_EDGE));
  await send(max - 2);
  const unproved = [];
  if ((await redisTime(redis)) - (row.waitsMs ?? 0) >= at(1))
    unproved.push('the requests before the edge of the window were late');
  if (row.awaitsTokens === true && !(await hasTokens(redis, row, client, 2 * max)))
    unproved.push('the list was not filled');
  if (
    (await untilRedisTime(redis, at(AFTER_EDGE))) >= at(AFTER_EDGE + STEADY_EVERY) &&
    row.awaitsTokens !== true
  )
    unproved.push('the requests after the edge of the window were late');
  const load = [send(4 * max, row.fault)];
  for (let part = AFTER_EDGE + STEADY_EVERY; part < STEADY_UNTIL; part += STEADY_EVERY) {
    await untilRedisTime(redis, at(part));
    load.push(send(Math.ceil(max / 2)));
  }
  await Promise.all(load);
  return { unproved: [...unproved, ...unexpected(answers, [200, 429])], answers };
}

/** A replica dies within the decision about the first request. A window later, the client sends more than the limit, twice. */
export async function playKill({ row, stack, redis, sender, client }: Stage): Promise<Played> {
  const { max, windowMs } = row.limit;
  const [victim] = (await stack.replicas()).filter(({ app }) => app === 'inventory');
  if (victim === undefined) throw new Error('the lab has no inventory replica');
  // directly: nginx would repeat a GET on the other replica, and kill that one as well
  const first = await sender.send(victim.url, client, row.fault);
  const restarted = await eventually(async () =>
    (await stack.replicas()).some(
      ({ name, starts, state }) => name === victim.name && starts > victim.starts && state === 'up',
    ),
  );
  await stack.ready();
  const answers: LimitAnswer[] = [];
  for (let round = 0; round < 2; round++) {
    await untilRedisTime(redis, (await redisTime(redis)) + windowMs + 1);
    answers.push(...(await sender.sendMany(stack.urls.public, client, 2 * max)));
  }
  const unproved =
    first.status === 0 && restarted ? [] : [`${row.fault ?? 'the fault'} did not kill the replica`];
  return { unproved: [...unproved, ...unexpected(answers, [200, 429])], answers };
}

/** Redis is killed. The client sends more than the limit; then Redis is started again. */
export async function playRedisDown({ row, stack, sender, client }: Stage): Promise<Played> {
  await stack.kill('redis');
  try {
    const answers = await sender.sendMany(stack.urls.public, client, 3 * row.limit.max);
    return { unproved: unexpected(answers, [row.onError === 'open' ? 200 : 503]), answers };
  } finally {
    await stack.restart('redis');
    await stack.ready();
  }
}

const unexpected = (answers: readonly LimitAnswer[], allowed: readonly number[]): string[] => {
  const others = [
    ...new Set(answers.map(({ status }) => status).filter((status) => !allowed.includes(status))),
  ];
  return others.length === 0 ? [] : [`some answers had the status ${others.join(', ')}`];
};

/** Whether the list of the client gets so many tokens. */
const hasTokens = (
  redis: Redis,
  { limiter, limit }: LimitRow,
  client: string,
  tokens: number,
): Promise<boolean> => {
  const [key = ''] = limiter.keys(client, limit);
  return eventually(async () => (await redis.llen(key)) >= tokens);
};

async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    if (await holds()) return true;
    await delay(10);
  }
  return false;
}
