import { Balances } from '#lab/balance';
import type { Config } from '#lab/config';
import { CONFIG } from '#lab/host';
import { problemOf, type Chosen } from '#lab/http';
import { systemClock, type Fault, type Ticker } from '#lab/step';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { AlreadyEntered, balanceOf } from './account-errors';
import { ArmedFaults } from './armed-faults';
import { EntriesService } from './entries.service';
import { entryOf, PendingEntries, type Claimed } from './pending-entries';
import { ScanSettings } from './scan-settings';

/** What one scan has done. */
export interface ScanResult {
  readonly replica: string;
  readonly settled: number;
  readonly refused: number;
  /** Could not be settled now: another scan will. */
  readonly left: number;
}

/** Entries that one scan settles at most. */
const MOST_ENTRIES = 1000;
/** In the lab each replica looks so often whether its time has come. Milliseconds. */
const LOOK_EVERY_MS = 100;
/** Who claims an entry has, beside what its strategy may wait and work, so long to settle it. Milliseconds. */
const CLAIM_MS = 2000;

/**
 * The scheduled scan: every replica runs it, and they share the entries by claiming them. An entry is settled once:
 * its id is that of its movement, and the database refuses a second one in the transaction that would write it. A
 * claim only spares the work; who dies behind the movement leaves a claim that ends, and the next scan finds the movement.
 */
@Injectable()
export class ScanService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ScanService.name);
  private timer: Ticker | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private lastAt = -Infinity;
  private isStopping = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(ScanSettings) private readonly settings: ScanSettings,
    @Inject(PendingEntries) private readonly pending: PendingEntries,
    @Inject(EntriesService) private readonly entries: EntriesService,
    @Inject(Balances) private readonly balances: Balances,
  ) {}

  onApplicationBootstrap(): void {
    const everyMs = this.config.labEnabled ? LOOK_EVERY_MS : this.settings.configuredEveryMs;
    if (everyMs > 0) this.timer = systemClock.every(everyMs, () => this.tick());
  }

  /** Before the connections close: what was begun is finished, and nothing more is. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    this.timer?.stop();
    await this.running;
  }

  /** Settles what is pending now. */
  run(chosen: Pick<Chosen, 'strategy' | 'options'>, faults: readonly Fault[] = []): Promise<ScanResult> {
    const scan = this.scan(chosen, faults);
    this.running = Promise.allSettled([this.running, scan]);
    return scan;
  }

  private async tick(): Promise<void> {
    try {
      const { everyMs, ...chosen } = await this.settings.read();
      const now = systemClock.now();
      if (everyMs === 0 || now - this.lastAt < everyMs || this.isStopping) return;
      this.lastAt = now;
      await this.run(chosen);
    } catch (error) {
      this.logger.warn({ warning: 'a scan has failed: the next one tries again', cause: String(error) });
    }
  }

  private async scan(
    chosen: Pick<Chosen, 'strategy' | 'options'>,
    faults: readonly Fault[],
  ): Promise<ScanResult> {
    const { replica } = this.config;
    const { waitMs, workMs } = chosen.options;
    const done = { settled: 0, refused: 0, left: 0 };
    const armed = new ArmedFaults(faults);
    for (const { number, claimedBy } of await this.pending.free(MOST_ENTRIES)) {
      if (this.isStopping) break;
      const claimed = await this.pending.claim(
        number,
        replica,
        waitMs + workMs + CLAIM_MS,
        claimedBy !== null,
      );
      if (claimed === undefined) continue; // another replica's scan was faster
      done[await this.settle(claimed, chosen, armed)]++;
    }
    return { replica, ...done };
  }

  private async settle(
    { number, account, amountMinor, text, hadBefore }: Claimed,
    { strategy, options }: Pick<Chosen, 'strategy' | 'options'>,
    armed: ArmedFaults,
  ): Promise<'settled' | 'refused' | 'left'> {
    const request = entryOf(number);
    try {
      const isThere =
        hadBefore && (await this.balances.requestsWithMovement(balanceOf(account), [request])).size > 0;
      if (isThere) await this.pending.settle(number);
      else
        await this.entries.enter(
          { account, amountMinor, text, request },
          { strategy, options, ignored: [] },
          armed.all,
          { onFault: armed.onFault, andThen: () => this.pending.settle(number) },
        );
      return 'settled';
    } catch (error) {
      return this.failed(number, error);
    }
  }

  private async failed(number: number, error: unknown): Promise<'settled' | 'refused' | 'left'> {
    if (error instanceof AlreadyEntered) {
      await this.pending.settle(number); // by somebody whose claim had ended
      return 'settled';
    }
    const { code } = problemOf(error);
    if (FINAL.has(code)) {
      await this.pending.refuse(number, code);
      return 'refused';
    }
    // when its outcome is not known, the claim has to end by itself: a statement may still be on its way
    if (code !== 'OUTCOME_UNKNOWN') await this.pending.giveBack(number, code).catch(() => undefined);
    return 'left';
  }
}

/** Answers that trying again would not change. */
const FINAL = new Set(['ACCOUNT.INSUFFICIENT_FUNDS', 'ACCOUNT.UNKNOWN']);
