import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTENDERS, type Addresses, type HoldOf } from './contenders';

/** One experiment, as a process takes part in it. */
export interface BenchTask {
  readonly contender: string;
  readonly addresses: Addresses;
  /** Names of its waiters, each with the key that it wants again and again. */
  readonly waiters: readonly { readonly name: string; readonly key: string }[];
  /** Milliseconds between a release and the next try of the same waiter. */
  readonly pauseMs: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** One time that a waiter got the lock. Microseconds of the machine's monotonic clock. */
export type Acquisition = readonly [waiter: string, at: number, waited: number];

export interface Report {
  readonly acquisitions: readonly Acquisition[];
  /** Commands that this process has sent while it was measured; what scripts do inside Redis is not counted. */
  readonly commands: number;
  /** False when a waiter still waits although everybody else has gone: the process must be replaced. */
  readonly isHome: boolean;
}

/** In so many milliseconds every waiter should have had its last turn. */
const GRACE_MS = 2000;

const now = (): number => Number(process.hrtime.bigint()) / 1000;

let sent = 0;
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its own `this` below
const send = Redis.prototype.sendCommand;
Redis.prototype.sendCommand = function (this: Redis, ...args: Parameters<typeof send>) {
  sent++;
  return send.apply(this, args);
};

const opened = new Map<string, Promise<HoldOf>>();

async function measure({
  contender,
  addresses,
  waiters,
  pauseMs,
  warmUpMs,
  measureMs,
}: BenchTask): Promise<Report> {
  const found = CONTENDERS.find(({ name }) => name === contender);
  if (found === undefined) throw new Error(`there is no contender "${contender}"`);
  const opening = opened.get(contender) ?? found.open(addresses);
  opened.set(contender, opening);
  const holdOf = await opening;
  const acquisitions: Acquisition[] = [];
  let isOver = false;
  let isMeasured = false;
  const run = async ({ name, key }: BenchTask['waiters'][number]): Promise<void> => {
    let asked = 0;
    const hold = holdOf(key, () => {
      const at = now();
      if (isMeasured) acquisitions.push([name, at, at - asked]);
      return Promise.resolve();
    });
    while (!isOver) {
      asked = now();
      await hold();
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  const running = Promise.all(waiters.map(run));
  await delay(warmUpMs);
  isMeasured = true;
  const before = sent;
  await delay(measureMs);
  isMeasured = false;
  const commands = sent - before;
  isOver = true;
  const isHome = await Promise.race([running.then(() => true), delay(GRACE_MS, false)]);
  return { acquisitions, commands, isHome };
}

process.on('message', (task: BenchTask) => {
  void measure(task).then(
    (report) => process.send?.({ report }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
