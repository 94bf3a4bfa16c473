import { watchCommands, type SteppedRedis } from '#lab/step';
import type { Connection, RowDataPacket } from 'mysql2/promise';

/** What reached the servers over connections that are not those of a world. */
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

/** Compares what the servers count with what a world sends, from `open` to `end`. Only one request may run meanwhile. */
export class ServerWatch {
  private constructor(
    private readonly redis: SteppedRedis,
    private readonly admin: Connection,
    /** Connections of Redis by address, before. */
    private readonly known: ReadonlySet<string>,
    private readonly databaseConnections: number,
    private readonly commands: readonly string[],
    private readonly endMonitor: () => Promise<void>,
  ) {}

  static async open(redis: SteppedRedis, admin: Connection): Promise<ServerWatch> {
    const known = new Set<string>();
    const commands: string[] = [];
    const endMonitor = await watchCommands(redis, ([verb = '', ...args], source) => {
      if (!known.has(source) && !GREETING.has(verb.toLowerCase()))
        commands.push([verb.toUpperCase(), ...args].join(' '));
    });
    for (const address of await addresses(redis)) known.add(address); // with that of MONITOR
    return new ServerWatch(redis, admin, known, await connectionsSoFar(admin), commands, endMonitor);
  }

  async end(): Promise<Unseen> {
    await this.endMonitor();
    const open = await addresses(this.redis);
    return {
      commands: this.commands,
      databaseConnections: (await connectionsSoFar(this.admin)) - this.databaseConnections,
      redisConnections: open.filter((address) => !this.known.has(address)).length,
    };
  }
}

async function addresses(redis: SteppedRedis): Promise<readonly string[]> {
  const list = await redis.client('LIST');
  return [...String(list).matchAll(/ addr=(\S+)/g)].map(([, address = '']) => address);
}

async function connectionsSoFar(admin: Connection): Promise<number> {
  const [[row]] = await admin.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Connections'");
  return Number(row?.['Value'] ?? 0);
}
