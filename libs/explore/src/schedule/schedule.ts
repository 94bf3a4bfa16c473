import { DEFAULT_OPTIONS, type Options } from '#lab/strategy';
import type { ScheduleHistory, ScheduleVerdict } from '#lab/verdict';
import { finishAll } from './drive';
import * as faults from '../faults';
import { ActorDriver } from './actor-driver';
import { Run } from '../execution';
import type { Explored, Setup, World } from '../world';

/** Long leases, because virtual time costs nothing; short leases could expire in real time. Milliseconds. */
export const EXPLORE_OPTIONS: Options = { ...DEFAULT_OPTIONS, leaseMs: 10_000, waitMs: 30_000 };
export const LEAST_LEASE_MS = 5000;

/** A hand-written schedule: `const { A, B } = s; await A.runUntil(after('SET')); await s.lapse(); …`. */
export class Schedule {
  private constructor(readonly run: Run) {}

  /** `processes`: the process of each actor. `carts`: their carts; absent: one `item` each. */
  static async begin(
    world: World,
    strategy: Explored,
    {
      options = {},
      stock = 1,
      processes = ['p1', 'p2'],
      carts,
    }: { options?: Partial<Options> } & Partial<Pick<Setup, 'stock' | 'processes' | 'carts'>> = {},
  ): Promise<Schedule> {
    const merged = { ...EXPLORE_OPTIONS, ...options };
    return new Schedule(
      await Run.begin(world, {
        strategy,
        options: merged,
        stock,
        processes,
        ...(carts !== undefined && { carts }),
      }),
    );
  }

  get A(): ActorDriver {
    return this.player(0);
  }

  get B(): ActorDriver {
    return this.player(1);
  }

  get C(): ActorDriver {
    return this.player(2);
  }

  /** Advances time to the end of a lease; false when the lock did not end, or there is no lease. */
  lapse(key?: string): Promise<boolean> {
    return faults.lapse(this.run, key);
  }

  /** Restarts a Redis empty: the lab's own, or one of several by its name. */
  flush(server?: string): Promise<void> {
    return faults.flush(this.run, server);
  }

  /** Makes one of several servers unreachable for all processes. */
  loseServer(server: string): void {
    faults.loseServer(this.run, server);
  }

  /** Runs all actors to completion and judges the history. */
  async end(): Promise<{ history: ScheduleHistory; verdict: ScheduleVerdict }> {
    const history = await finishAll(this.run);
    return { history, verdict: this.run.subject.judge(history) };
  }

  private player(i: number): ActorDriver {
    const actor = this.run.actors[i];
    if (actor === undefined) throw new Error(`this schedule has only ${this.run.actors.length} actors`);
    return new ActorDriver(this.run, actor);
  }
}
