import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTENDERS, type Addresses, type HoldOf } from './contenders';

/** The part of one process in an experiment. */
export interface BenchTask {
  readonly contender: string;
  readonly addresses: Addresses;
  /** Its waiters, each with the key that it acquires repeatedly. */
  readonly waiters: readonly { readonly name: string; readonly key: string }[];
  /** Milliseconds between a release and the next request of the same waiter. */
  readonly pauseMs: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** One acquisition; times in microseconds of the machine's monotonic clock. */
export type Acquisition = readonly [waiter: string, at: number, waited: number];

export interface Report {
  readonly acquisitions: readonly Acquisition[];
  /** Commands that this process sent during the measurement; commands inside scripts are not counted. */
  readonly commands: number;
  /** All waiters have finished. Otherwise one is stuck, and the process must be replaced. */
  readonly isHome: boolean;
}

/** Time for every waiter's last acquisition after the measurement. */
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
  if (found === undefined) throw new Error(`unknown contender "${contender}"`);
  const opening = opened.get(contender) ?? found.open(addresses);
  opened.set(contender, opening);
  const holdOf = await opening;
  const acquisitions: Acquisition[] = [];
  let isOver = false;
  let isMeasured = false;
  const run = async ({ name, key }: BenchTask['waiters'][number]): Promise<void> => {
    let requestedAt = 0;
    const hold = holdOf(key, () => {
      const at = now();
      if (isMeasured) acquisitions.push([name, at, at - requestedAt]);
      return Promise.resolve();
    });
    while (!isOver) {
      requestedAt = now();
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
