import { actorsOf, type OwnSubject, type SubjectClients } from '#lab/own';
import {
  instrument,
  messageOf,
  NotInstrumentable,
  refuseHidden,
  type Instrumented,
  type InstrumentedPool,
  type InstrumentedRedis,
  type MysqlConnection,
} from '#lab/step';
import type { Connect, Isolation } from '#lab/subject';
import { Redis } from 'ioredis';
import { createPool } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import {
  LOCK_WAIT_SECONDS,
  namedLockPrefixOf,
  type ActorConnections,
  type UserClients,
  type WorldOptions,
} from './actor-connections';

/** The clients of a user, of one actor or of the explorer. */
export class OwnClients implements UserClients {
  private constructor(
    readonly clients: object,
    private readonly instrumented: readonly Instrumented[],
  ) {}

  static async open(
    connect: Connect,
    options: Pick<WorldOptions, 'redis' | 'redisDb' | 'mysql' | 'schema'>,
    {
      isolation,
      onSession,
    }: { isolation: Isolation | undefined; onSession: (session: MysqlConnection) => void },
  ): Promise<OwnClients> {
    const clients = await connect({
      redis: `${options.redis}/${options.redisDb}`,
      mysql: `${options.mysql}/${ownSchemaOf(options)}`,
    });
    const settings = [
      `SET SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}`,
      ...(isolation === undefined ? [] : [`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`]),
    ];
    const instrumented: Instrumented[] = [];
    const own = new OwnClients(clients, instrumented);
    try {
      for (const [name, value] of Object.entries(clients)) {
        const one = await instrument(name, value, {
          settings,
          onSession,
          namedLockPrefix: namedLockPrefixOf(options),
        });
        if (one !== undefined) instrumented.push(one);
        if (one?.redis !== undefined) refuseOtherDatabase(name, one.redis, options);
        if (one?.pool !== undefined) await refuseManualCommits(name, one.pool);
      }
      refuseHidden(clients);
    } catch (error) {
      await Promise.allSettled([own.close()]); // its error would hide this one
      throw error;
    }
    return own;
  }

  get isSubscribed(): boolean {
    return this.redises.some(({ isSubscribed }) => isSubscribed);
  }

  async receiveMessages(): Promise<void> {
    await Promise.all(this.redises.map((redis) => redis.receiveMessages()));
  }

  get isConnecting(): boolean {
    return [...this.pools, ...this.redises].some((client) => client.isConnecting);
  }

  /** Ends what the last schedule has left on the connections. */
  async reset(): Promise<void> {
    await Promise.all([...this.redises, ...this.pools].map((client) => client.reset()));
  }

  /** The isolation levels of its database sessions. */
  isolations(): Promise<readonly string[]> {
    return Promise.all(this.pools.map((pool) => pool.isolation()));
  }

  async close(): Promise<void> {
    await Promise.all(this.instrumented.map((one) => one.close()));
  }

  private get pools(): InstrumentedPool[] {
    return this.instrumented.flatMap(({ pool }) => (pool === undefined ? [] : [pool]));
  }

  private get redises(): InstrumentedRedis[] {
    return this.instrumented.flatMap(({ redis }) => (redis === undefined ? [] : [redis]));
  }
}

/** @throws NotInstrumentable when the client uses a database of Redis that is not emptied before each schedule. */
function refuseOtherDatabase(
  name: string,
  { database: { port, db } }: Pick<InstrumentedRedis, 'database'>,
  { redis, redisDb }: Pick<WorldOptions, 'redis' | 'redisDb'>,
): void {
  const ownPort = Number(new URL(redis).port || '6379');
  if (db === redisDb && (port ?? ownPort) === ownPort) return;
  throw new NotInstrumentable(
    name,
    `it uses database ${db} of the Redis at port ${port ?? ownPort}, and only database ${redisDb} at port ${ownPort} is emptied before each schedule. Use the address that connect receives`,
  );
}

/** @throws NotInstrumentable when a transaction begins without a statement that begins it. */
async function refuseManualCommits(name: string, pool: InstrumentedPool): Promise<void> {
  if (!(await pool.commitsEachStatement()))
    throw new NotInstrumentable(
      name,
      'its sessions begin with autocommit = 0, so that their transactions begin without a statement. Begin them with START TRANSACTION or beginTransaction(), or send SET autocommit = 0 in the actor',
    );
}

/** The schema of a subject's tables: apart from those of the lab. */
export const ownSchemaOf = ({ schema }: Pick<WorldOptions, 'schema'>): string => `${schema}_own`;

/** The clients of a subject that opens none. */
const connectDefaults: Connect<SubjectClients> = ({ redis, mysql }) => ({
  redis: new Redis(redis, { lazyConnect: true }),
  sql: new DataSource({
    type: 'mysql',
    url: mysql,
    poolSize: 4,
    supportBigNumbers: true,
    bigNumberStrings: false,
  }),
  pool: createPool({ uri: mysql, connectionLimit: 4 }),
});

const isStrict = (isolation: string): boolean => /^(SERIALIZABLE|READ-UNCOMMITTED)$/.test(isolation);

/** `prepare` waits for a lock of an actor's session: its transaction was begun by a statement that the explorer does not recognize. */
export class UnseenTransaction extends Error {
  readonly code = 'EXPLORE.UNSEEN_TRANSACTION';

  constructor() {
    super(
      'prepare waits for a transaction that an actor has left open, and that the explorer did not see begin. Begin it with START TRANSACTION or BEGIN, beginTransaction() or transaction(), and not inside of another statement',
    );
    this.name = 'UnseenTransaction';
  }
}

/** An invariant waits for a lock of an actor's session, which nothing ends after the last step. */
export class InvariantWaits extends Error {
  readonly code = 'EXPLORE.INVARIANT_WAITS';

  constructor() {
    super(
      'an invariant waits for a lock that an actor has left in its session. End it in the actor with UNLOCK TABLES, COMMIT or ROLLBACK, or let the invariant read without a lock',
    );
    this.name = 'InvariantWaits';
  }
}

/** `setUp` or `prepare` of a subject throws, or keeps locks, so that no schedule can begin. */
export class PreparationFailed extends Error {
  readonly code = 'EXPLORE.PREPARATION_FAILED';

  constructor(what: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'PreparationFailed';
  }
}

/** Runs this part of a subject. Throws `PreparationFailed`. */
async function named(part: 'setUp' | 'prepare', run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new PreparationFailed(`${part} throws: ${messageOf(error)}`, { cause: error });
  }
}

/** The clients of all actors of a subject, and of the explorer, which prepares and asks for invariants. */
export class OwnSession {
  private constructor(
    readonly subject: Pick<OwnSubject, 'definition' | 'connect'>,
    readonly observer: OwnClients,
    private readonly all: readonly OwnClients[],
    /** The threads of the database that belong to the observer, also those that have ended. */
    readonly threadsOfObserver: ReadonlySet<number>,
    /** A session has an isolation level with which a plain SELECT depends on uncommitted writes, before its first statement. */
    readonly readsStrictly: boolean,
  ) {}

  /** Opens the clients, gives them to the connections of the actors, and runs `setUp`. */
  static async open(
    subject: OwnSubject,
    actors: readonly ActorConnections[],
    options: WorldOptions,
  ): Promise<OwnSession> {
    const { connect = connectDefaults, isolation, definition } = subject;
    const all: OwnClients[] = [];
    const openNext = async (onSession: (session: MysqlConnection) => void): Promise<OwnClients> => {
      const own = await OwnClients.open(connect, options, { isolation, onSession });
      all.push(own);
      return own;
    };
    try {
      for (const connections of actors.slice(0, actorsOf(definition).length))
        connections.own = await openNext(connections.track);
      const ofActors = [...all];
      const threads = new Set<number>();
      const observer = await openNext(({ threadId }) => threads.add(threadId));
      await named('setUp', () => definition.setUp?.(observer.clients));
      const isolations = (await Promise.all(ofActors.map((clients) => clients.isolations()))).flat();
      return new OwnSession(subject, observer, all, threads, isolations.some(isStrict));
    } catch (error) {
      await Promise.allSettled(all.map((clients) => clients.close()));
      throw error;
    }
  }

  /** Ends what the last schedule has left on the connections, and runs `prepare`. */
  async prepare(): Promise<void> {
    await Promise.all(this.all.map((clients) => clients.reset()));
    await named('prepare', () => this.subject.definition.prepare?.(this.observer.clients));
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((clients) => clients.close()));
  }
}
