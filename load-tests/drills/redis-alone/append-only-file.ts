import { pollUntil, withRedis, type StartedRedis } from '#lab/stack';
import { monotonic } from '#lab/step';
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { info } from './one-redis';

export type Fsync = 'everysec' | 'always';

/** Arguments of a redis-server with an append-only file. */
export const append = (fsync: Fsync): readonly string[] => ['--appendonly', 'yes', '--appendfsync', fsync];

/** The early part of a second of the server's clock, microseconds. */
const EARLY = { from: 200_000, to: 400_000 };
/** Minimum remainder of the second after the fsync, microseconds. */
const REMAINDER = 300_000;
const TRIES = 10;
const TIMEOUT_MS = 10_000;

/** The state of the file when all data that Redis had written was on the disk. */
interface Fsynced {
  /** Size of the file in bytes. */
  readonly size: number;
  /** `runsOfFsyncThread`. */
  readonly runs: number;
  /** When Redis may fsync again, CLOCK_MONOTONIC in microseconds. */
  readonly secondEndsAt: number;
}

/** The file to which a Redis currently appends: the last incremental part in its manifest. */
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
    if (file === undefined) throw new Error(`${folder} has no append-only file`);
    return new AppendOnlyFile(redis, join(folder, file));
  }

  /** Size in bytes, including data that is not fsynced. */
  get size(): number {
    return statSync(this.path).size;
  }

  /** Simulates a power loss: drops all data after `size`. A real disk may have written more. */
  cutTo(size: number): void {
    truncateSync(this.path, size);
  }

  /**
   * The kernel's count of context switches of the thread that fsyncs the file once a second. While it does not change, no
   * fsync happened, because with `everysec` only this thread fsyncs. Linux only.
   */
  get runsOfFsyncThread(): number {
    const tasks = `/proc/${this.redis.server.pid}/task`;
    const task = readdirSync(tasks).find((id) => read(join(tasks, id, 'comm')).startsWith('bio_aof'));
    if (task === undefined) throw new Error(`${this.redis.server.name} has no fsync thread`);
    return [...read(join(tasks, task, 'status')).matchAll(/ctxt_switches:\s+(\d+)/g)].reduce(
      (runs, [, count]) => runs + Number(count),
      0,
    );
  }

  /**
   * Resolves early in a second of the server's clock, when all written data is fsynced. Redis fsyncs once a second, so data
   * written now is not fsynced until the next second begins. Retries in another second when the fsync took too long.
   */
  async rightAfterFsync(): Promise<Fsynced> {
    for (let tries = 0; tries < TRIES; tries++) {
      const fsynced = await this.nextFsync();
      if (monotonic() < fsynced.secondEndsAt - REMAINDER) return fsynced;
    }
    throw new Error(`The disk is too slow for this drill: ${TRIES} fsyncs took most of a second each`);
  }

  private async nextFsync(): Promise<Fsynced> {
    let secondEndsAt = 0;
    await withRedis(this.redis.url, async (client) => {
      await waitFor("No reading of the server's clock was early in a second", async () => {
        const sentAt = monotonic();
        const [, micros] = await client.time();
        secondEndsAt = sentAt + 1_000_000 - Number(micros);
        return Number(micros) >= EARLY.from && Number(micros) < EARLY.to;
      });
      const { runsOfFsyncThread } = this;
      await client.set('lab:written', '');
      await waitFor('Redis did not fsync', () => this.runsOfFsyncThread > runsOfFsyncThread);
    });
    let runs = this.runsOfFsyncThread;
    await waitFor('The fsync did not end', async () => {
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

async function waitFor(problem: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await pollUntil(isDone, { timeoutMs: TIMEOUT_MS, everyMs: 1 })))
    throw new Error(`${problem} within ${TIMEOUT_MS / 1000} s`);
}
