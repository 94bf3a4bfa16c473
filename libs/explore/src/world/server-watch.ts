import { watchCommands, type Step, type SteppedRedis } from '#lab/step';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { isReadOfLocks } from './read-locks';

/** What reached the servers and was no step: over connections that are not those of a world, or over those of its actors. */
export interface Unseen {
  /** Commands to Redis, without those of a new connection's greeting. */
  readonly commands: readonly string[];
  /** Connections to the database that were opened, also if they were closed again. */
  readonly databaseConnections: number;
  /** Connections to Redis that are still open. */
  readonly redisConnections: number;
}

/** What ioredis sends over each new connection. */
const GREETING: ReadonlySet<string> = new Set(['info', 'client', 'select', 'auth', 'hello', 'ping']);

/** What ends the transaction of an earlier schedule. */
const ENDS: ReadonlySet<string> = new Set(['unwatch', 'discard']);

/** Compares what the servers count with what a world sends, from `open` to `end`. Only one request may run meanwhile. */
export class ServerWatch {
  private constructor(
    private readonly redis: SteppedRedis,
    private readonly admin: Connection,
    /** Connections of Redis by address, before. */
    private readonly known: ReadonlySet<string>,
    private readonly databaseConnections: number,
    private readonly commands: readonly string[],
    /** Commands over the connections of actors. */
    private readonly ofActors: readonly (readonly string[])[],
    private readonly endMonitor: () => Promise<void>,
  ) {}

  static async open(
    redis: SteppedRedis,
    admin: Connection,
    actors: readonly SteppedRedis[],
  ): Promise<ServerWatch> {
    const own = new Set(
      (await Promise.all(actors.map((actor) => actor.client('INFO')))).flatMap(addressesIn),
    );
    const known = new Set<string>();
    const commands: string[] = [];
    const ofActors: string[][] = [];
    const endMonitor = await watchCommands(redis, (command, source) => {
      const [verb = '', ...args] = command;
      if (own.has(source)) {
        if (!isReadOfLocks(command) && !ENDS.has(verb.toLowerCase()))
          ofActors.push([verb.toUpperCase(), ...args]);
      } else if (!known.has(source) && !GREETING.has(verb.toLowerCase()))
        commands.push([verb.toUpperCase(), ...args].join(' '));
    });
    for (const address of await addresses(redis)) known.add(address); // with that of MONITOR
    return new ServerWatch(
      redis,
      admin,
      known,
      await connectionsSoFar(admin),
      commands,
      ofActors,
      endMonitor,
    );
  }

  /** `steps`: those that the explorer saw meanwhile. */
  async end(steps: readonly Pick<Step, 'text'>[]): Promise<Unseen> {
    await this.endMonitor();
    const open = await addresses(this.redis);
    return {
      commands: [
        ...this.commands,
        ...this.ofActors.filter((command) => !isIn(steps, command)).map((command) => command.join(' ')),
      ],
      databaseConnections: (await connectionsSoFar(this.admin)) - this.databaseConnections,
      redisConnections: open.filter((address) => !this.known.has(address)).length,
    };
  }
}

async function addresses(redis: SteppedRedis): Promise<readonly string[]> {
  return addressesIn(await redis.client('LIST'));
}

const addressesIn = (list: unknown): readonly string[] =>
  [...String(list).matchAll(/ addr=(\S+)/g)].map(([, address = '']) => address);

/** A step has this command: its verb and its key. A script is named in steps, and has the number of its keys before them. */
function isIn(steps: readonly Pick<Step, 'text'>[], [verb = '', ...args]: readonly string[]): boolean {
  const isScript = /^EVAL/.test(verb);
  const [key = ''] = ((isScript ? args[2] : args[0]) ?? '').split('\\'); // MONITOR escapes what is not ASCII
  return steps.some(({ text }) =>
    isScript ? /\bEVAL(SHA)? /.test(text) && text.includes(key) : text.includes(`${verb} ${key}`.trimEnd()),
  );
}

async function connectionsSoFar(admin: Connection): Promise<number> {
  const [[row]] = await admin.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Connections'");
  return Number(row?.['Value'] ?? 0);
}
