import { underNamedLock } from '#lab/balance';
import type { Config } from '#lab/config';
import { problemOf, Story } from '#lab/http';
import { SteppedDataSource } from '#lab/step';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PlacementsRepository } from './placements.repository';
import type { PlacementRow } from './placement';
import { Settlement } from './settlement';
import { CONFIG } from './tokens';

/** What became of a placement that was left half-way. */
export interface Reconciled {
  /** The request that left it. */
  readonly request: string;
  readonly order: string;
  /** `undecided`: the inventory is away or still at it; the next round sees. */
  readonly outcome: 'completed' | 'given-up' | 'undecided';
  /** Why it is undecided. */
  readonly because?: string;
}

const PAGE = 100;
const LOCK = 'order-reconciler';

/**
 * Brings orders to their end whose replica has died or has not been heard of. Every replica has the timer, and one at a time
 * works: under a named lock of the database (as `mysql-named-lock`), because the database itself frees it when its holder
 * dies, with no lease to guess. One that is only paused keeps it: then nobody reconciles until it goes on or dies. That two
 * never do harm to one another is not the lock's doing: see `Settlement`.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Reconciler.name);
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<unknown> | undefined;

  constructor(
    @Inject(SteppedDataSource) private readonly dataSource: SteppedDataSource,
    @Inject(PlacementsRepository) private readonly placements: PlacementsRepository,
    @Inject(Settlement) private readonly settlement: Settlement,
    @Inject(Story) private readonly story: Story,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.round ??= this.tick().finally(() => (this.round = undefined));
    }, this.config.orderReconcile.everyMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  /**
   * One round: all placements on which nobody has been at work for `silentMs`. Waits for another reconciler's round at most
   * `waitMs` (whole seconds); undefined: it was still at it.
   */
  reconcile(silentMs: number, waitMs: number, fault?: string): Promise<Reconciled[] | undefined> {
    return underNamedLock(this.dataSource, LOCK, waitMs, async () => {
      const done: Reconciled[] = [];
      for (let after = ''; ;) {
        const page = await this.placements.leftFor(silentMs, after, PAGE);
        for (const placement of page) done.push(await this.settle(placement, fault));
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return done;
        after = last.id;
      }
    });
  }

  private async settle(placement: PlacementRow, fault: string | undefined): Promise<Reconciled> {
    const { request, id: order } = placement;
    try {
      const answer = await this.settlement.settle(placement, fault);
      if (answer === undefined) await this.placements.failed(placement);
      const outcome = answer === undefined ? 'given-up' : 'completed';
      this.story.settled(request, outcome);
      return { request, order, outcome };
    } catch (error) {
      return { request, order, outcome: 'undecided', because: problemOf(error).detail };
    }
  }

  private async tick(): Promise<void> {
    try {
      const done = await this.reconcile(this.config.orderReconcile.afterMs, 0);
      if (done !== undefined && done.length > 0) this.logger.warn({ reconciled: done });
      await this.placements.forgetOld(PAGE);
    } catch (error) {
      this.logger.warn({ warning: 'orders could not be reconciled', error: problemOf(error).detail });
    }
  }
}
