import { withRedis, type StartedRedis } from '#lab/stack';
import { monotonic } from '#lab/step';
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { info } from './one-redis';

export type Fsync = 'everysec' | 'always';

/** Arguments of a redis-server that appends every write to a file. */
export const append = (fsync: Fsync): readonly string[] => ['--appendonly', 'yes', '--appendfsync', fsync];

/** Part of a second of the server's clock, microseconds. */
const EARLY = { from: 200_000, to: 400_000 };
/** So much of it must be left, microseconds. */
const LEFT = 300_000;
const TRIES = 10;
const GIVE_UP_MS = 10_000;

/** All that Redis had written was on the disk. */
interface Fsynced {
  /** Bytes of the file. */
  readonly size: number;
  /** `runsOfFsyncThread`. */
  readonly runs: number;
  /** When Redis may fsync again, CLOCK_MONOTONIC in microseconds. */
  readonly secondEndsAt: number;
}

/** The file to which a Redis appends now: of the parts that its manifest names, the last one. */
export class AppendOnlyFile {
  private constructor(
    private readonly redis: StartedRedis,
    private readonly path: string,
  ) {}

  static async of(redis: StartedRedis): Promise<AppendOnlyFile> {
    const folder = await withRedis(redis.url, async (client) => {
      const [, dir = ''] = (await client.config('GET', 'dir')) as string[];
      const [, appended = ''] = (await client.config('GET', 'appenddirname')) as string[];
      return join(dir, appended);
    });
    const manifest = readdirSync(folder).find((name) => name.endsWith('.manifest')) ?? 'no manifest';
    const parts = [...readFileSync(join(folder, manifest), 'utf8').matchAll(/^file (\S+) seq \d+ type i/gm)];
    const [, file] = parts.at(-1) ?? [];
    if (file === undefined) throw new Error(`${folder} has no file that Redis appends to`);
    return new AppendOnlyFile(redis, join(folder, file));
  }

  /** Bytes that Redis has written to it. */
  get size(): number {
    return statSync(this.path).size;
  }

  /** What a power loss leaves of it: what was written behind this is gone. A simulation: the disk may have been faster. */
  cutTo(size: number): void {
    truncateSync(this.path, size);
  }

  /**
   * How often the thread has run that fsyncs the file once a second, as the kernel counts. While the number stays the same,
   * nothing was fsynced: with `everysec` nobody else does it. Linux only.
   */
  get runsOfFsyncThread(): number {
    const tasks = `/proc/${this.redis.server.pid}/task`;
    const task = readdirSync(tasks).find((id) => read(join(tasks, id, 'comm')).startsWith('bio_aof'));
    if (task === undefined) throw new Error(`${this.redis.server.name} has no thread that fsyncs`);
    return [...read(join(tasks, task, 'status')).matchAll(/ctxt_switches:\s+(\d+)/g)].reduce(
      (runs, [, count]) => runs + Number(count),
      0,
    );
  }

  /**
   * Resolves early in a second of the server's clock, when all that it has written is fsynced. It fsyncs but once in a
   * second: what is written now stays unsynced until the next one begins. A disk that is slow takes the rest of the second:
   * then the next one may do.
   */
  async rightAfterFsync(): Promise<Fsynced> {
    for (let tries = 0; tries < TRIES; tries++) {
      const fsynced = await this.nextFsync();
      if (monotonic() < fsynced.secondEndsAt - LEFT) return fsynced;
    }
    throw new Error(`the disk is too slow: ${TRIES} times an fsync took most of a second`);
  }

  private async nextFsync(): Promise<Fsynced> {
    let secondEndsAt = 0;
    await withRedis(this.redis.url, async (client) => {
      await patiently('the server does not tell the time', async () => {
        const asked = monotonic();
        const [, micros] = await client.time();
        secondEndsAt = asked + 1_000_000 - Number(micros);
        return Number(micros) >= EARLY.from && Number(micros) < EARLY.to;
      });
      const { runsOfFsyncThread } = this;
      await client.set('lab:written', '');
      await patiently('Redis does not fsync', () => this.runsOfFsyncThread > runsOfFsyncThread);
    });
    let runs = this.runsOfFsyncThread;
    await patiently('the fsync does not end', async () => {
      const { aof_pending_bio_fsync: pending, aof_buffer_length: unwritten } = await info(
        this.redis,
        'persistence',
      );
      const before = runs;
      runs = this.runsOfFsyncThread;
      return pending === '0' && unwritten === '0' && runs === before;
    });
    return { size: this.size, runs, secondEndsAt };
  }
}

const read = (file: string): string => readFileSync(file, 'utf8');

async function patiently(problem: string, done: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + GIVE_UP_MS;
  while (!(await done())) {
    if (performance.now() > until) throw new Error(`${problem}: ${GIVE_UP_MS / 1000} s`);
    await delay(1);
  }
}
