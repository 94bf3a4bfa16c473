import {
  GUARD_MIGRATIONS,
  resetOf,
  USES,
  type Done,
  type Guard,
  type GuardTools,
  type Use,
} from '#lab/guard';
import { LOCK_MIGRATIONS, SqlLocks } from '#lab/locks';
import type { Urls } from '#lab/stack';
import {
  LockFolder,
  observe,
  Servers,
  SteppedDataSource,
  SteppedRedis,
  systemClock,
  type Listener,
  type StepKind,
} from '#lab/step';
import { DEFAULT_OPTIONS, loadScripts, LocalProcess } from '#lab/strategy';
import { median, percentile } from '#load-tests/figures';
import { tmpdir } from 'node:os';

/** What a guard sends per action. */
export interface Sent {
  readonly redis: number;
  readonly sql: number;
  /** To the gateway, ZooKeeper and etcd. */
  readonly other: number;
}

/** Medians over all repeats of one guard. */
export interface ActionResult {
  readonly name: string;
  /** For an action that is done for the first time. */
  readonly first: Sent;
  /** Commands and statements for an action that is requested again. */
  readonly again: number;
  readonly actionsPerSecond: number;
  readonly p99Ms: number;
  /** Actions/s divided by those of the unprotected guard of its use, in the same repeat. */
  readonly ofUnprotected: number;
  /** Most actions that failed in one repeat. */
  readonly failed: number;
}

export interface ActionBench {
  readonly urls: Urls;
  readonly repeats: number;
  readonly signal?: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** Actions of one measurement, each with a key of its own, and how many of them are requested at the same time. */
export const ACTIONS = 300;
export const ACTIONS_AT_ONCE = 8;
/** Actions before each measurement, so that no guard pays for the first connections. */
const WARM_UP = 40;
/** Actions about which commands are counted, one after another. */
const COUNTED = 20;
/** Longer than any measurement: no action gives up its lock or its wait. Milliseconds. */
const PATIENCE_MS = 30_000;
/** Empty, because the account app is not started. */
const SCHEMA = 'accounts';

interface Speed {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly failed: number;
}

/** Measures every guard of actions once per repeat. The first guard of a use is the one without protection. */
export async function benchActions({
  urls,
  repeats,
  signal,
  onProgress,
}: ActionBench): Promise<ActionResult[]> {
  const bench = await ActionsOfGuards.open(urls);
  try {
    const all = USES.flatMap((use) => use.guards.map((guard) => ({ use, guard })));
    const runs: Map<string, Speed>[] = [];
    for (let i = 1; i <= repeats; i++) {
      const run = new Map<string, Speed>();
      for (const { use, guard } of all) {
        signal?.throwIfAborted();
        onProgress(`run ${i} of ${repeats}: ${guard.name}`);
        run.set(guard.name, await bench.measure(use, guard));
      }
      runs.push(run);
    }
    const results: ActionResult[] = [];
    for (const { use, guard } of all) {
      onProgress(`counting commands: ${guard.name}`);
      const speeds = runs.flatMap((run) => run.get(guard.name) ?? []);
      const bare = runs.flatMap((run) => run.get(use.guards[0]?.name ?? '') ?? []);
      results.push({
        name: guard.name,
        ...(await bench.count(use, guard)),
        actionsPerSecond: median(speeds.map(({ perSecond }) => perSecond)),
        p99Ms: median(speeds.map(({ p99Ms }) => p99Ms)),
        ofUnprotected: median(speeds.map(({ perSecond }, i) => perSecond / (bare[i]?.perSecond ?? NaN))),
        failed: Math.max(...speeds.map(({ failed }) => failed)),
      });
    }
    return results;
  } finally {
    await bench.close();
  }
}

/** One process with a schema of its own, which requests actions. */
class ActionsOfGuards {
  private keys = 0;

  private constructor(
    private tools: GuardTools,
    private readonly redis: SteppedRedis,
    private readonly servers: Servers,
    private readonly sql: SteppedDataSource,
  ) {}

  static async open({ mysql, redis: url, servers: addresses }: Urls): Promise<ActionsOfGuards> {
    const sql = new SteppedDataSource({
      url: mysql,
      database: SCHEMA,
      migrations: [...LOCK_MIGRATIONS, ...GUARD_MIGRATIONS],
      poolSize: 2 * ACTIONS_AT_ONCE,
    });
    await sql.initialize();
    await sql.runMigrations();
    const redis = new SteppedRedis({ url, name: 'bench', timeoutMs: PATIENCE_MS });
    await redis.connect();
    await loadScripts(redis);
    const servers = new Servers(addresses, 'bench', { timeoutMs: PATIENCE_MS });
    await servers.connect(loadScripts);
    const tools: GuardTools = {
      sql,
      sqlLocks: new SqlLocks(sql),
      redis,
      servers,
      folder: new LockFolder(tmpdir()),
      process: new LocalProcess('bench'),
      clock: systemClock,
      options: { ...DEFAULT_OPTIONS, leaseMs: PATIENCE_MS, waitMs: PATIENCE_MS },
      work: () => Promise.resolve(),
      warn: () => undefined,
      random: Math.random,
    };
    return new ActionsOfGuards(tools, redis, servers, sql);
  }

  async measure(use: Use, guard: Guard): Promise<Speed> {
    const keys = await this.prepare(use, WARM_UP + ACTIONS);
    await this.requestAll(guard, keys.slice(0, WARM_UP));
    const begun = performance.now();
    const { took, failed } = await this.requestAll(guard, keys.slice(WARM_UP));
    const seconds = (performance.now() - begun) / 1000;
    const ascending = took.toSorted((a, b) => a - b);
    return { perSecond: took.length / seconds, p99Ms: percentile(ascending, 0.99), failed };
  }

  /** Counts what passes the seam while each action is requested, and while it is requested again. */
  async count(use: Use, guard: Guard): Promise<Pick<ActionResult, 'first' | 'again'>> {
    const keys = await this.prepare(use, COUNTED);
    const first = await this.countSteps(guard, keys);
    const { redis, sql, other } = await this.countSteps(guard, keys);
    return { first, again: redis + sql + other };
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    this.servers.disconnect();
    await this.sql.destroy();
  }

  private async requestAll(
    guard: Guard,
    keys: readonly string[],
  ): Promise<{ took: readonly number[]; failed: number }> {
    const took: number[] = [];
    let failed = 0;
    const requests = keys.values();
    const repeat = async (): Promise<void> => {
      for (const key of requests) {
        const at = performance.now();
        const isDone = await this.request(guard, key).then(
          () => true,
          () => false,
        );
        if (isDone) took.push(performance.now() - at);
        else failed++;
      }
    };
    await Promise.all(Array.from({ length: ACTIONS_AT_ONCE }, repeat));
    return { took, failed };
  }

  private async countSteps(guard: Guard, keys: readonly string[]): Promise<Sent> {
    const counts: Partial<Record<StepKind, number>> = {};
    const listener: Listener = ({ kind }, issue) => {
      counts[kind] = (counts[kind] ?? 0) + 1;
      return issue();
    };
    for (const key of keys) await observe({ actor: 'bench', listener }, () => this.request(guard, key));
    const of = (...kinds: StepKind[]): number =>
      kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0) / keys.length;
    return { redis: of('redis'), sql: of('sql'), other: of('http', 'zk', 'etcd') };
  }

  /** Empties the use, and prepares it for actions with new keys. */
  private async prepare(use: Use, count: number): Promise<string[]> {
    const keys = Array.from({ length: count }, () => `k${++this.keys}`);
    await this.redis.flushdb();
    this.tools = { ...this.tools, process: new LocalProcess('bench') }; // no memory of rows that are reset
    for (const statement of resetOf(use)) await this.sql.query(statement);
    await this.servers.gateway.clear();
    await use.prepare?.(keys, { redis: this.redis, time: -1 });
    return keys;
  }

  private request(guard: Guard, key: string): Promise<Done> {
    return guard.apply({ key, request: `r-${key}`, replica: 'bench' }, this.tools);
  }
}
