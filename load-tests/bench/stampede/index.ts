import { findGuard, useNamed, type Guard, type OldPages } from '#lab/guard';
import { startProcesses, type Conditions, type Stack } from '#lab/stack';
import { median } from '#load-tests/figures';
import { Redis } from 'ioredis';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { join } from 'node:path';
import { Readers, type Burst } from './readers';

export interface StampedeOptions {
  /** Readers of one page, all at the same moment. */
  readonly readers: number;
  /** Expiries for each guard. */
  readonly repeats: number;
  readonly dir: string;
  readonly signal?: AbortSignal;
  readonly onStart: (stop: () => Promise<void>) => void;
  readonly onProgress: (text: string) => void;
}

/** Medians over all expiries for one guard; `most…`: the largest value. */
export interface StampedeResult {
  readonly guard: string;
  /** The page was still fresh, and expected to make one of its readers build it early. */
  readonly isBeforeExpiry: boolean;
  readonly rebuilds: number;
  readonly mostRebuilds: number;
  readonly mostStaleMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly warmP50Ms: number;
  readonly warmP99Ms: number;
  /** p99 at an expiry, divided by that of the same page a moment later, when it is fresh. */
  readonly p99OfWarm: number;
  /** Number of answers without a page, by status. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The readers of a page whose builder was killed while it held the lock. */
export interface KilledBuilderResult {
  readonly guard: string;
  readonly leaseMs: number;
  /** From the death of the builder until a page was built, by the clock of the database, milliseconds. */
  readonly rebuiltAfterMs: number;
  readonly longestWaitMs: number;
  readonly mostStaleMs: number;
  readonly refused: Readonly<Record<string, number>>;
}

export interface StampedeBenchResult {
  readonly results: readonly StampedeResult[];
  readonly killed: readonly KilledBuilderResult[];
  readonly conditions: Conditions;
}

const PAGE = useNamed('page');
const REPLICAS = 2;
/** `waitMs` is longer than the lease, and the lease than the restart of a replica. */
const OPTIONS = { workMs: 100, waitMs: 30_000, leaseMs: 10_000 };
/** Expiries of each guard before the first one that counts: the code of the replicas becomes fast. */
const WARM_UP = 3;

/** A guard, and the page before its readers come. */
interface Case {
  readonly guard: Guard;
  /** Absent: it has expired. */
  readonly oldPages?: OldPages;
}

/** Every guard at an expiry; XFetch also before it. */
const casesOf = (readers: number): readonly Case[] => [
  ...PAGE.guards.map((guard) => ({ guard })),
  { guard: findGuard('page/early'), oldPages: oneBuildsEarly(readers) },
];

/** With XFetch each of the readers of such a page builds it with a probability of 1 / `readers`. */
const oneBuildsEarly = (readers: number): OldPages => ({
  expiresInMs: 60_000,
  buildMs: Math.round(60_000 / Math.log(readers)),
});

interface Expiry {
  readonly rebuilds: number;
  readonly cold: Burst;
  readonly warm: Burst;
}

/** Measures each guard of a page once per repeat, so that changes in the load of the machine affect all of them. */
export async function benchStampede(options: StampedeOptions): Promise<StampedeBenchResult> {
  const { repeats, onProgress } = options;
  const conditions = { replicas: REPLICAS, readers: options.readers, repeats, ...OPTIONS };
  const measured = await withPages('fast', options, false, async (pages, stack) => {
    const runs = new Map<Case, Expiry[]>(casesOf(options.readers).map((one) => [one, []]));
    for (let i = 1 - WARM_UP; i <= repeats; i++)
      for (const [one, expiries] of runs) {
        const { name } = one.guard;
        onProgress(i > 0 ? `expiry ${i} of ${repeats}: ${name}` : `warming up: ${name}`);
        const expiry = await pages.expire(one);
        if (i > 0) expiries.push(expiry);
      }
    return {
      results: [...runs].map(([one, expiries]) => resultOf(one, expiries)),
      conditions: { ...(await stack.conditions()), ...conditions },
    };
  });
  const killed = await withPages('killed', options, true, async (pages, stack) => {
    const found: KilledBuilderResult[] = [];
    for (const guard of PAGE.guards.filter((one) => one.options.includes('leaseMs'))) {
      onProgress(`killing the builder: ${guard.name}`);
      found.push(await pages.killBuilder(guard, () => stack.ready()));
    }
    return found;
  });
  return { ...measured, killed };
}

/** Runs `use` on a stack of its own. Faults need the lab; without it no step is recorded. */
async function withPages<T>(
  name: string,
  { dir, signal, readers, onStart, onProgress }: StampedeOptions,
  lab: boolean,
  use: (pages: Pages, stack: Stack) => Promise<T>,
): Promise<T> {
  onProgress('starting the replicas');
  const stack = await startProcesses({
    dir: join(dir, `bench-stampede-${name}-${process.pid}`),
    replicas: { order: 0, inventory: 0, account: REPLICAS },
    durability: 'relaxed',
    lab,
    ...(signal && { signal }),
  });
  onStart(() => stack.stop());
  const pages = await Pages.open(stack, readers, signal);
  try {
    return await use(pages, stack);
  } finally {
    await pages.close();
    await stack.stop();
  }
}

/** The pages of a stack, and their readers. */
class Pages {
  private used = 0;

  private constructor(
    private readonly readers: Readers,
    private readonly redis: Redis,
    private readonly sql: Connection,
    private readonly signal: AbortSignal | undefined,
  ) {}

  static async open({ urls }: Stack, readers: number, signal: AbortSignal | undefined): Promise<Pages> {
    const sql = await createConnection(`${urls.mysql}/accounts`);
    return new Pages(new Readers(urls.lab ?? urls.public, readers), new Redis(urls.redis), sql, signal);
  }

  /** All readers request a page in this state, and again when it is fresh. */
  async expire({ guard, oldPages }: Case): Promise<Expiry> {
    const key = await this.newPage(oldPages);
    const path = pathOf(guard, key);
    const cold = await this.readers.burst(path);
    const rebuilds = await this.buildsOf(key);
    return { rebuilds, cold, warm: await this.readers.burst(path) };
  }

  /** The builder of a page is killed before it stores it. When its replica is up again, readers come until the page is built. */
  async killBuilder(guard: Guard, ready: () => Promise<void>): Promise<KilledBuilderResult> {
    const key = await this.newPage();
    const path = pathOf(guard, key);
    await this.readers.dyingReader(path, 'account:before(INSERT)=kill');
    const died = await this.now();
    await ready();
    const bursts: Burst[] = [];
    do bursts.push(await this.readers.burst(path));
    while ((await this.buildsOf(key)) === 0);
    return {
      guard: guard.name,
      leaseMs: OPTIONS.leaseMs,
      rebuiltAfterMs: (await this.builtAt(key)) - died,
      longestWaitMs: Math.max(...bursts.map(({ longestMs }) => longestMs)),
      mostStaleMs: Math.max(...bursts.map(({ staleMs }) => staleMs)),
      refused: sumOf(bursts),
    };
  }

  /** A page that no reader has requested before; without `oldPages` it has just expired. */
  private async newPage(oldPages?: OldPages): Promise<string> {
    this.signal?.throwIfAborted();
    const key = `bench-${++this.used}`;
    await PAGE.prepare?.([key], { redis: this.redis, time: -1, ...oldPages });
    return key;
  }

  private buildsOf(key: string): Promise<number> {
    return this.number('SELECT COUNT(*) AS found FROM page_build WHERE page = ?', key);
  }

  /** When the page was built first, milliseconds since 1970. */
  private builtAt(key: string): Promise<number> {
    return this.number(
      'SELECT 1000 * UNIX_TIMESTAMP(MIN(built_at)) AS found FROM page_build WHERE page = ?',
      key,
    );
  }

  private now(): Promise<number> {
    return this.number('SELECT 1000 * UNIX_TIMESTAMP(NOW(3)) AS found');
  }

  private async number(query: string, ...values: string[]): Promise<number> {
    const [[row]] = await this.sql.query<RowDataPacket[]>(query, values);
    return Number((row as { found: number | string }).found);
  }

  async close(): Promise<void> {
    await this.readers.close();
    this.redis.disconnect();
    await this.sql.end();
  }
}

function pathOf({ name }: Guard, key: string): string {
  const query = new URLSearchParams({ guard: name.slice(PAGE.name.length + 1) });
  for (const [option, value] of Object.entries(OPTIONS)) query.set(option, String(value));
  return `${PAGE.endpoint.replace('GET ', '').replace('{key}', key)}?${query.toString()}`;
}

function resultOf({ guard, oldPages }: Case, expiries: readonly Expiry[]): StampedeResult {
  const medianOf = (figure: (expiry: Expiry) => number): number => median(expiries.map(figure));
  const mostOf = (figure: (expiry: Expiry) => number): number => Math.max(...expiries.map(figure));
  return {
    guard: guard.name,
    isBeforeExpiry: oldPages !== undefined,
    rebuilds: medianOf(({ rebuilds }) => rebuilds),
    mostRebuilds: mostOf(({ rebuilds }) => rebuilds),
    mostStaleMs: mostOf(({ cold }) => cold.staleMs),
    p50Ms: medianOf(({ cold }) => cold.p50Ms),
    p99Ms: medianOf(({ cold }) => cold.p99Ms),
    warmP50Ms: medianOf(({ warm }) => warm.p50Ms),
    warmP99Ms: medianOf(({ warm }) => warm.p99Ms),
    p99OfWarm: medianOf(({ cold, warm }) => cold.p99Ms / warm.p99Ms),
    refused: sumOf(expiries.flatMap(({ cold, warm }) => [cold, warm])),
  };
}

/** Answers without a page of all bursts. */
function sumOf(bursts: readonly Burst[]): Readonly<Record<string, number>> {
  const sum: Record<string, number> = {};
  for (const { refused } of bursts)
    for (const [status, count] of Object.entries(refused)) sum[status] = (sum[status] ?? 0) + count;
  return sum;
}
