import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Redis } from 'ioredis';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';

interface KeyState {
  readonly content: string;
  readonly ends: boolean;
}

/** Checksums of everything that a request could change, by name. */
export interface State {
  /** Tables (`inventory.balance`), and lock directories. */
  readonly lasting: ReadonlyMap<string, string>;
  /** Redis keys. Those with an expiry (`ends`) may disappear at any time without a request. */
  readonly keys: ReadonlyMap<string, KeyState>;
}

/** The names of the differences between two states; empty: they are equal. */
export function changes(before: State, after: State): string[] {
  const tables = [...names(before.lasting, after.lasting)].filter(
    (name) => before.lasting.get(name) !== after.lasting.get(name),
  );
  const keys = [...names(before.keys, after.keys)].filter((key) => {
    const [was, is] = [before.keys.get(key), after.keys.get(key)];
    if (is === undefined) return was?.ends === false;
    return was?.content !== is.content;
  });
  return [...tables, ...keys.map((key) => `the key ${key}`)];
}

const names = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): Set<string> =>
  new Set([...one.keys(), ...other.keys()]);

/** Redis numbers lock commands with this counter in execution order: even a refused acquire increments it. */
const SERVER_ORDER = 'lab:order';
/** A limit also counts requests that are refused for another reason: their keys are no change of the shop. */
const LIMIT_KEYS = 'limit:';
/** What PTTL answers for a key without an expiry; for one that has just expired it answers -2. */
const NO_EXPIRY = -1;
const SYSTEM_SCHEMAS = ['mysql', 'sys', 'information_schema', 'performance_schema'];

/** Reads the state of a lab's servers directly, not through its apps. */
export class Observer {
  private constructor(
    private readonly sql: Connection,
    private readonly redis: Redis,
    private readonly lockDir: string | undefined,
    private readonly tables: readonly string[],
    /** Schemas that have balances and movements. */
    private readonly ledgers: readonly string[],
  ) {}

  /** `mysqlUrl` and `redisUrl` as the apps use them; `lockDir`: the parent of their lock directories. */
  static async open(mysqlUrl: string, redisUrl: string, lockDir?: string): Promise<Observer> {
    const sql = await createConnection({ uri: mysqlUrl, supportBigNumbers: true, bigNumberStrings: true });
    const [rows] = await sql.query<RowDataPacket[]>(
      `SELECT table_schema AS owner, table_name AS name FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN (?) ORDER BY 1, 2`,
      [SYSTEM_SCHEMAS],
    );
    const tables = rows.map(({ owner, name }) => `${String(owner)}.${String(name)}`);
    const ledgers = rows.filter(({ name }) => name === 'movement').map(({ owner }) => String(owner));
    return new Observer(sql, new Redis(redisUrl), lockDir, tables, ledgers);
  }

  async look(): Promise<State> {
    const [sums, keys] = await Promise.all([
      this.sql.query<RowDataPacket[]>('CHECKSUM TABLE ??', [this.tables]),
      this.lookAtKeys(),
    ]);
    const rows = sums[0].map((row): [string, string] => [String(row['Table']), String(row['Checksum'])]);
    const folders = this.lockDir === undefined ? [] : readdirSync(this.lockDir);
    return {
      lasting: new Map([...rows, ...folders.map((name): [string, string] => [`the directory ${name}`, ''])]),
      keys,
    };
  }

  /** Balances that differ from their initial value plus their movements, in words. */
  async unbalanced(): Promise<string[]> {
    const found = await Promise.all(
      this.ledgers.map(async (schema) => {
        const [rows] = await this.sql.query<RowDataPacket[]>(
          `SELECT id, amount + COALESCE((SELECT SUM(amount) FROM ??.balance_segment WHERE balance = balance.id), 0) AS amount,
                  initial + COALESCE((SELECT SUM(delta) FROM ??.movement WHERE balance = balance.id), 0) AS expected
             FROM ??.balance HAVING amount <> expected`,
          [schema, schema, schema],
        );
        return rows.map(
          ({ id, amount, expected }) =>
            `${schema}: ${String(id)} has ${String(amount)}, but its movements lead to ${String(expected)}`,
        );
      }),
    );
    return found.flat();
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await this.sql.end();
  }

  private async lookAtKeys(): Promise<State['keys']> {
    const keys = (await this.redis.keys('*')).filter(
      (key) => key !== SERVER_ORDER && !key.startsWith(LIMIT_KEYS),
    );
    const looks = await Promise.all(
      keys.map(async (key): Promise<readonly (readonly [string, KeyState])[]> => {
        const dump: Promise<Buffer | null> = this.redis.dumpBuffer(key); // ioredis leaves out the null
        const [content, ttl] = await Promise.all([dump, this.redis.pttl(key)]);
        if (content === null) return []; // it expired since the list of keys was read
        const sum = createHash('sha1').update(content).digest('hex');
        return [[key, { content: sum, ends: ttl !== NO_EXPIRY }]] as const;
      }),
    );
    return new Map(looks.flat());
  }
}
