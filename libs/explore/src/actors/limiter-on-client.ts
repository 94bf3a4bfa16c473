import { ProcessMemory } from '#lab/limit';
import { codeOf, messageOf, systemClock, type Clock } from '#lab/step';
import type { LocalProcess } from '#lab/strategy';
import { judgeLimitSchedule } from '#lab/verdict';
import { WindowStore, type ExploredLimiter, type Setup } from '../world';
import type { Outcome, Requester, SubjectOf } from './subject';

/** The client of all requests of a schedule. */
const CLIENT = 'ann';
/** PTTL of a key that never expires. */
const WITHOUT_EXPIRY = -1;

/** The subject of explorations of rate limiters: each actor's request needs one decision about the same client. */
export const limiterOnClient: SubjectOf<Setup & { readonly strategy: ExploredLimiter }> = (setup, world) => {
  const { limiter, limit, name, sharesState, earlier, isFilled } = setup.strategy;
  const keys = limiter.keys(CLIENT, limit);
  const memories = new WeakMap<LocalProcess, ProcessMemory>();
  return {
    about: { strategy: name, stock: 0, leaseMs: setup.options.leaseMs },
    lockStores: isFilled === true ? world.lockStoresOf(setup.strategy) : [new WindowStore(world.redis, keys)],
    keepsOtherKeys: keys.length > 0,
    keepsState: sharesState === true,
    prepare: async () => {
      if (keys.length > 0) await world.redis.del(...keys);
      return undefined;
    },
    ...(earlier !== undefined && {
      earlier: {
        ...earlier,
        request: ({ redis }, at) =>
          limiter.decide(CLIENT, limit, {
            redis,
            clock: { ...systemClock, serverTime: () => at },
            process: new ProcessMemory(),
          }),
      },
    }),
    load: () => (requester, clock) => {
      const { local } = requester.process;
      const memory = memories.get(local) ?? new ProcessMemory();
      memories.set(local, memory);
      return decide(setup.strategy, requester, clock, memory);
    },
    writes: (text) => /^(INCR|PEXPIRE|ZADD|EVALSHA|LPOP|RPUSH)/.test(text),
    look: async () => {
      const ttls = await Promise.all(keys.map((key) => world.redis.pttl(key)));
      const endlessKeys = keys.filter((_, i) => isFilled !== true && ttls[i] === WITHOUT_EXPIRY);
      return { amount: 0, amounts: {}, movements: [], endlessKeys };
    },
    judge: (history) =>
      judgeLimitSchedule(
        { promise: limiter.promise(limit), windowMs: limit.windowMs, earlier: earlier?.at ?? [] },
        history,
      ),
  };
};

/** Runs an actor's request: it is admitted or refused. Never rejects. */
async function decide(
  { limiter, limit }: ExploredLimiter,
  { connections }: Requester,
  clock: Clock,
  process: ProcessMemory,
): Promise<Outcome> {
  try {
    const { admitted } = await limiter.decide(CLIENT, limit, { redis: connections.redis, clock, process });
    return admitted
      ? { code: 'APPLIED', text: 'admitted' }
      : { code: 'LIMIT.EXCEEDED', text: 'refused: the limit is used up' };
  } catch (error) {
    return { code: codeOf(error), text: messageOf(error) };
  }
}
