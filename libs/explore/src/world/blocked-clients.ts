import { unobserved, type Blocking, type SteppedRedis } from '#lab/step';

/** Asks Redis about commands that wait there, for example BLPOP. */
export class BlockedClients {
  constructor(private readonly redis: SteppedRedis) {}

  /** Those of these commands that wait for another client right now. */
  async waiting(commands: readonly Blocking[]): Promise<ReadonlySet<Blocking>> {
    const ids = commands.flatMap(({ client }) => (client === undefined ? [] : [client]));
    if (ids.length < commands.length) await new Promise(setImmediate); // the reply with the id has to be read
    if (ids.length === 0) return new Set();
    const list = (await unobserved(() =>
      this.redis.call('CLIENT', 'LIST', 'ID', ...ids.map(String)),
    )) as string;
    const blocked = new Set(
      list.split('\n').flatMap((line) => {
        const [, id, flags = ''] = /^id=(\d+) .*? flags=(\w+) /.exec(line) ?? [];
        return flags.includes('b') ? [Number(id)] : [];
      }),
    );
    return new Set(commands.filter(({ client }) => client !== undefined && blocked.has(client)));
  }

  /** Ends the wait of a command: its timeout is over, or its process has died. */
  async unblock({ client }: Blocking, why: 'TIMEOUT' | 'ERROR'): Promise<void> {
    if (client !== undefined)
      await unobserved(() => this.redis.call('CLIENT', 'UNBLOCK', String(client), why));
  }
}
