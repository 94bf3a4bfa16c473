import type { Config } from '#lab/config';
import type { Effects, PauseEvent } from '#lab/step';
import { setTimeout as delay } from 'node:timers/promises';
import type { PauseHelper } from './pause-helper';

/** A pause that waits for an event is ended after so many milliseconds all the same. */
const LONGEST_WAIT_MS = 15_000;

/** Faults done to this very process, for real. */
export function processEffects(
  config: Config,
  /** The schema in which others may change the balance meanwhile. */
  database: string,
  { balance, request }: { balance: string; request: string },
  /** One for each pause that the request carries. */
  helpers: readonly PauseHelper[],
): Effects {
  const unused = [...helpers];
  return {
    kill() {
      process.kill(process.pid, 'SIGKILL');
      return new Promise<never>(() => undefined); // the signal may arrive a moment later: go nowhere
    },
    block(ms) {
      const until = performance.now() + ms;
      while (performance.now() < until);
    },
    delay: (ms) => delay(ms),
    async pause(until, lock) {
      const event: PauseEvent | undefined = 'event' in until ? until.event : undefined;
      const helper = unused.pop();
      if (helper === undefined) throw new Error('a request pauses as often as it has helpers');
      await helper.watch({
        pid: process.pid,
        ms: 'ms' in until ? until.ms : LONGEST_WAIT_MS,
        replica: config.replica,
        historyDir: config.historyDir,
        ...(event === 'lock-taken' &&
          lock?.key !== undefined && { taken: { redisUrls: redisesOf(config, lock.server), key: lock.key } }),
        ...(event === 'sale' && {
          sale: { mysqlUrl: config.mysqlUrl, database, balance, notBy: request },
        }),
      });
      return async () => {
        process.kill(process.pid, 'SIGSTOP');
        await delay(0); // the signal may arrive a moment later: let it, before the step is issued
      };
    },
  };
}

/** The Redis that have a part of the lock: all voters, when one of them has. */
function redisesOf({ redisUrl, servers }: Config, server: string | undefined): readonly string[] {
  if (server === undefined) return [redisUrl];
  return server === 'primary' && servers.primary !== undefined ? [servers.primary] : (servers.voters ?? []);
}
