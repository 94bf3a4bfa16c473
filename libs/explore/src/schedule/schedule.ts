import { DEFAULT_OPTIONS, type Options, type Strategy } from '#lab/strategy';
import { judgeSchedule, type ScheduleHistory, type ScheduleVerdict } from '#lab/verdict';
import { finishAll } from './ending';
import * as faults from '../faults';
import { ActorDriver } from './actor-driver';
import { Run } from '../execution';
import type { Setup, World } from '../world';

/** Time is virtual, so that long leases cost nothing; short ones could end in real time. Milliseconds. */
export const EXPLORE_OPTIONS: Options = { ...DEFAULT_OPTIONS, leaseMs: 10_000, waitMs: 30_000 };
export const LEAST_LEASE_MS = 5000;

/** A schedule written by hand: `const { A, B } = s; await A.runUntil(after('SET')); await s.lapse(); …`. */
export class Schedule {
  private constructor(readonly run: Run) {}

  /** `processes`: where A, B and perhaps C live. `carts`: what they want; absent: one `item` each. */
  static async begin(
    world: World,
    strategy: Strategy,
    {
      options = {},
      stock = 1,
      processes = ['p1', 'p2'],
      carts,
    }: { options?: Partial<Options> } & Partial<Pick<Setup, 'stock' | 'processes' | 'carts'>> = {},
  ): Promise<Schedule> {
    const all = { ...EXPLORE_OPTIONS, ...options };
    return new Schedule(
      await Run.begin(world, {
        strategy,
        options: all,
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

  /** Time moves to the end of a lease; false when the key did not end, or there is none. */
  lapse(key?: string): Promise<boolean> {
    return faults.lapse(this.run, key);
  }

  /** A Redis restarts empty: the lab's own, or one of several by its name. */
  flush(server?: string): Promise<void> {
    return faults.flush(this.run, server);
  }

  /** Nobody reaches this one of several servers any more. */
  loseServer(server: string): void {
    faults.loseServer(this.run, server);
  }

  /** Lets everybody finish, and judges what came of it. */
  async end(): Promise<{ history: ScheduleHistory; verdict: ScheduleVerdict }> {
    const history = await finishAll(this.run);
    return { history, verdict: judgeSchedule(history) };
  }

  private player(i: number): ActorDriver {
    const actor = this.run.actors[i];
    if (actor === undefined) throw new Error(`this schedule has only ${this.run.actors.length} actors`);
    return new ActorDriver(this.run, actor);
  }
}
