import type { Config } from '#lab/config';
import type { Effects, PauseEvent } from '#lab/step';
import { setTimeout as delay } from 'node:timers/promises';
import type { PauseHelper } from './pause-helper';

/** A query that counts the sales, or other effects, of other requests. */
export interface SalesOfOthers {
  readonly database: string;
  /** Its row has the column `count`. */
  readonly query: string;
  readonly parameters: readonly string[];
}

/** Applies faults to this process. */
export function processEffects(
  config: Config,
  /** Counts what `pause(sale)` waits for. */
  sales: SalesOfOthers,
  /** One for each pause of the request. */
  helpers: readonly PauseHelper[],
): Effects {
  const unused = [...helpers];
  return {
    kill() {
      process.kill(process.pid, 'SIGKILL');
      return new Promise<never>(() => undefined); // the signal may arrive with a delay: nothing may run until then
    },
    block(ms) {
      const until = performance.now() + ms;
      while (performance.now() < until);
    },
    delay: (ms) => delay(ms),
    async pause(until, lock) {
      const event: PauseEvent | undefined = 'event' in until ? until.event : undefined;
      const helper = unused.pop();
      if (helper === undefined)
        throw new Error('there is no pause helper left for this request: each pause needs its own');
      await helper.watch({
        pid: process.pid,
        ms: 'ms' in until ? until.ms : config.longestPauseMs,
        replica: config.replica,
        historyDir: config.historyDir,
        ...(event === 'lock-taken' &&
          lock?.key !== undefined && { taken: { redisUrls: redisesOf(config, lock.server), key: lock.key } }),
        ...(event === 'sale' && {
          grown: {
            mysqlUrl: config.mysqlUrl,
            ...sales,
          },
        }),
      });
      return async () => {
        process.kill(process.pid, 'SIGSTOP');
        await delay(0); // the signal may arrive with a delay: wait for it before the step is issued
      };
    },
  };
}

/** The URLs of the Redis servers that hold the lock: all voters, if `server` is one of them. */
function redisesOf({ redisUrl, servers }: Config, server: string | undefined): readonly string[] {
  if (server === undefined) return [redisUrl];
  return server === 'primary' && servers.primary !== undefined ? [servers.primary] : (servers.voters ?? []);
}
