import type { Action, GuardTools } from '#lab/guard';
import type { World } from '#lab/explore';
import { systemClock } from '#lab/step';
import { DEFAULT_OPTIONS, LocalProcess } from '#lab/strategy';

/** The tools of a request in a world, in real time, with this random number. */
export function toolsIn({ connectionsOfActors: [connections] }: World, random = 0): GuardTools {
  if (connections === undefined) throw new Error('a world has an actor');
  const { redis, servers, folder, sqlLocks, dataSource } = connections;
  return {
    redis,
    servers,
    folder,
    sqlLocks,
    sql: dataSource,
    options: { ...DEFAULT_OPTIONS, waitMs: 0 },
    clock: systemClock,
    process: new LocalProcess('p1'),
    random: () => random,
    work: () => Promise.resolve(),
    warn: () => undefined,
  };
}

export const request = (name: string, key: string): Action => ({ key, request: name, replica: 'p1' });
