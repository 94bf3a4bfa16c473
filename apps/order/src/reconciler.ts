import { underNamedLock } from '#lab/locks';
import type { Config } from '#lab/config';
import { ConditionLog, log, problemOf, RequestRecorder } from '#lab/http';
import { SteppedDataSource } from '#lab/step';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { OrderIntentsRepository } from './order-intents.repository';
import type { OrderIntentRow } from './order-intent';
import { IntentRecovery } from './intent-recovery';
import { CONFIG } from './tokens';

/** The outcome of an unfinished order intent. */
export interface Reconciled {
  /** The request that left it unfinished. */
  readonly request: string;
  readonly order: string;
  /** `undecided`: the inventory is unreachable or still working on it; the next round tries again. */
  readonly outcome: 'completed' | 'given-up' | 'undecided';
  /** Why it is undecided. */
  readonly because?: string;
}

const PAGE = 100;
const LOCK = 'order-reconciler';

/**
 * Settles orders whose replica has died or sends no heartbeats. Every replica runs the timer, but only one works at a time:
 * under a named lock of the database (as `mysql-named-lock`), which the database frees when its holder dies, so that no lease
 * has to be chosen. A paused holder keeps the lock: no replica reconciles until it resumes or dies. Safety does not depend on
 * the lock: see `IntentRecovery`.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly condition = new ConditionLog('the reconciliation of orders');
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<unknown> | undefined;

  constructor(
    private readonly dataSource: SteppedDataSource,
    private readonly intents: OrderIntentsRepository,
    private readonly recovery: IntentRecovery,
    private readonly requests: RequestRecorder,
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
   * Runs one round over all intents without a heartbeat for `silentMs`. Waits for another reconciler's round for at most
   * `waitMs` (whole seconds); undefined: that round was still running.
   */
  reconcile(silentMs: number, waitMs: number, fault?: string): Promise<Reconciled[] | undefined> {
    return underNamedLock(this.dataSource, LOCK, waitMs, async () => {
      const done: Reconciled[] = [];
      for (let after = ''; ;) {
        const page = await this.intents.leftFor(silentMs, after, PAGE);
        for (const intent of page) done.push(await this.settle(intent, fault));
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return done;
        after = last.id;
      }
    });
  }

  private async settle(intent: OrderIntentRow, fault: string | undefined): Promise<Reconciled> {
    const { request, id: order } = intent;
    try {
      const answer = await this.recovery.settle(intent, fault);
      if (answer === undefined) await this.intents.failed(intent);
      const outcome = answer === undefined ? 'given-up' : 'completed';
      this.requests.settled(request, outcome);
      return { request, order, outcome };
    } catch (error) {
      log.write('warn', 'an unfinished order is undecided', error, { request, attempt: intent.attempt });
      return { request, order, outcome: 'undecided', because: problemOf(error).detail };
    }
  }

  private async tick(): Promise<void> {
    try {
      const done = await this.reconcile(this.config.orderReconcile.afterMs, 0);
      if (done !== undefined && done.length > 0)
        log.write('warn', 'unfinished orders were reconciled', undefined, { reconciled: done });
      await this.intents.forgetOld(PAGE);
      this.condition.succeeded();
    } catch (error) {
      this.condition.failed(error); // the next round tries again
    }
  }
}
