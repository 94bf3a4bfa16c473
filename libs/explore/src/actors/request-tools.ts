import type { Clock } from '#lab/step';
import type { LocalProcess, Options, Tools } from '#lab/strategy';
import type { ActorConnections } from '../world';

/** The tools of an actor's request, without the data that it changes. */
export function requestTools(
  { redis, servers, folder, sqlLocks }: ActorConnections,
  options: Options,
  process: LocalProcess,
  clock: Clock,
  warn: (warning: string) => void,
): Omit<Tools, 'balances'> {
  const { workMs } = options;
  return {
    sqlLocks,
    redis,
    servers,
    folder,
    options,
    clock,
    process,
    work: () => (workMs > 0 ? clock.sleep(workMs, 'WORK') : Promise.resolve()),
    warn,
  };
}
