/**
 * A separate process: observes that a replica is stopped (state T), resumes it after a time or an event, and writes both to
 * the history. A replica starts it (`PauseHelper`) for a request that may stop the replica. It exits when its input is closed
 * without an order: at the end of the request, or of the replica.
 */
import { Recorder } from '#lab/step';
import { Redis } from 'ioredis';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** The order of a resumer: one line of JSON on its standard input. */
export interface ResumeOrder {
  readonly pid: number;
  /** Milliseconds after which the process is resumed in any case. */
  readonly ms: number;
  readonly replica: string;
  readonly historyDir: string;
  /** Resume when another holder has this key, in more than half of these Redis servers. */
  readonly taken?: { readonly redisUrls: readonly string[]; readonly key: string };
  /** Resume when the number that this query counts has grown. */
  readonly grown?: {
    readonly mysqlUrl: string;
    readonly database: string;
    /** Its row has the column `count`. */
    readonly query: string;
    readonly parameters: readonly string[];
  };
}

/** Milliseconds between two polls. */
const POLL_EVERY_MS = 2;

type Event = () => Promise<boolean>;

async function lockTaken({ redisUrls, key }: NonNullable<ResumeOrder['taken']>): Promise<Event> {
  const servers = await Promise.all(redisUrls.map((url) => takenOnServer(url, key)));
  return async () => {
    const taken = await Promise.all(servers.map((hasNewHolder) => hasNewHolder()));
    return taken.filter(Boolean).length > servers.length / 2;
  };
}

/** The key has a new holder: another value, or the same value with a longer time to live than before. */
async function takenOnServer(redisUrl: string, key: string): Promise<Event> {
  const redis = new Redis(redisUrl);
  const look = async (): Promise<{ value: string | null; ttl: number }> => ({
    value: await redis.get(key),
    ttl: await redis.pttl(key),
  });
  const first = await look();
  let last = first;
  let hasBeenSetAgain = false;
  return async () => {
    const now = await look();
    hasBeenSetAgain ||= now.ttl > last.ttl;
    last = now;
    return now.value !== null && (now.value !== first.value || hasBeenSetAgain);
  };
}

async function grown({
  mysqlUrl,
  database,
  query,
  parameters,
}: NonNullable<ResumeOrder['grown']>): Promise<Event> {
  const connection = await createConnection(new URL(database, `${mysqlUrl.replace(/\/*$/, '')}/`).href);
  const count = async (): Promise<number> => {
    const [rows] = await connection.query<RowDataPacket[]>(query, [...parameters]);
    return Number(rows[0]?.['count']);
  };
  const before = await count();
  return async () => (await count()) > before;
}

const state = (pid: number): string | undefined => {
  try {
    return /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined; // the process has exited
  }
};

async function resume(order: ResumeOrder): Promise<void> {
  const recorder = new Recorder(order.historyDir, order.replica, { pid: order.pid });
  const event: Event | undefined = order.taken
    ? await lockTaken(order.taken)
    : order.grown && (await grown(order.grown));
  process.stdout.write('watching\n');
  const until = performance.now() + order.ms;
  while (state(order.pid) !== 'T' && performance.now() < until) await delay(1);
  if (state(order.pid) === 'T') recorder.note({ type: 'stopped', because: 'its state is T' });
  let because = `${order.ms} ms have passed`;
  while (performance.now() < until && state(order.pid) !== undefined) {
    if (event !== undefined && (await event())) {
      because = order.taken ? 'another client holds the lock' : 'another request has a movement';
      break;
    }
    await delay(POLL_EVERY_MS);
  }
  if (state(order.pid) === 'T') {
    process.kill(order.pid, 'SIGCONT');
    recorder.note({ type: 'resumed', because });
  }
  recorder.close();
  process.exit(0);
}

process.stdout.on('error', () => undefined); // when the replica has died, `state` reports it
const orders = createInterface({ input: process.stdin });
orders.once('line', (line) => void resume(JSON.parse(line) as ResumeOrder));
process.stdout.write('ready\n');
