/**
 * A process of its own: sees that a replica is stopped (state T), resumes it when the time is up or the event has come,
 * and writes both to the history. Started by a replica (`PauseHelper`) for a request that may stop it; ends without an
 * order when the request has ended, or the replica.
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
  /** Milliseconds after which the process goes on in any case. */
  readonly ms: number;
  readonly replica: string;
  readonly historyDir: string;
  /** Go on when this key is held by somebody who does not hold it now, in more than half of these Redis. */
  readonly taken?: { readonly redisUrls: readonly string[]; readonly key: string };
  /** Go on when another request's movement of this balance has been committed. */
  readonly sale?: {
    readonly mysqlUrl: string;
    readonly database: string;
    readonly balance: string;
    readonly notBy: string;
  };
}

/** Milliseconds between two looks. */
const LOOK_EVERY_MS = 2;

type Event = () => Promise<boolean>;

async function lockTaken({ redisUrls, key }: NonNullable<ResumeOrder['taken']>): Promise<Event> {
  const parts = await Promise.all(redisUrls.map((url) => partTaken(url, key)));
  return async () => {
    const taken = await Promise.all(parts.map((part) => part()));
    return taken.filter(Boolean).length > parts.length / 2;
  };
}

/** The value changed hands: another value, or the same value with more time to live than it had. */
async function partTaken(redisUrl: string, key: string): Promise<Event> {
  const redis = new Redis(redisUrl);
  const look = async (): Promise<{ value: string | null; ttl: number }> => ({
    value: await redis.get(key),
    ttl: await redis.pttl(key),
  });
  const first = await look();
  let last = first;
  let passedOn = false;
  return async () => {
    const now = await look();
    passedOn ||= now.ttl > last.ttl;
    last = now;
    return now.value !== null && (now.value !== first.value || passedOn);
  };
}

async function sale({
  mysqlUrl,
  database,
  balance,
  notBy,
}: NonNullable<ResumeOrder['sale']>): Promise<Event> {
  const connection = await createConnection(new URL(database, `${mysqlUrl.replace(/\/*$/, '')}/`).href);
  const count = async (): Promise<number> => {
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT COUNT(*) AS movements FROM movement WHERE balance = ? AND request <> ?',
      [balance, notBy],
    );
    return Number(rows[0]?.['movements']);
  };
  const before = await count();
  return async () => (await count()) > before;
}

const state = (pid: number): string | undefined => {
  try {
    return /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined; // it is gone
  }
};

async function resume(order: ResumeOrder): Promise<void> {
  const recorder = new Recorder(order.historyDir, order.replica, order.pid);
  const happened: Event | undefined = order.taken
    ? await lockTaken(order.taken)
    : order.sale && (await sale(order.sale));
  process.stdout.write('watching\n');
  const until = performance.now() + order.ms;
  while (state(order.pid) !== 'T' && performance.now() < until) await delay(1);
  if (state(order.pid) === 'T') recorder.note({ type: 'stopped', because: 'its state is T' });
  let because = `${order.ms} ms are over`;
  while (performance.now() < until && state(order.pid) !== undefined) {
    if (happened !== undefined && (await happened())) {
      because = order.taken ? 'somebody else holds the lock' : 'somebody else has sold';
      break;
    }
    await delay(LOOK_EVERY_MS);
  }
  if (state(order.pid) === 'T') {
    process.kill(order.pid, 'SIGCONT');
    recorder.note({ type: 'resumed', because });
  }
  recorder.close();
  process.exit(0);
}

process.stdout.on('error', () => undefined); // the replica has died: its state says so
const orders = createInterface({ input: process.stdin });
orders.once('line', (line) => void resume(JSON.parse(line) as ResumeOrder));
process.stdout.write('ready\n');
