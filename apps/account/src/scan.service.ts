import { Balances } from '#lab/balance';
import type { Config } from '#lab/config';
import { CONFIG } from '#lab/host';
import { ConditionLog, log, problemOf, type Chosen } from '#lab/http';
import { dropped, systemClock, type Fault, type Ticker } from '#lab/step';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AlreadyEntered, balanceOf } from './account-errors';
import { ArmedFaults } from './armed-faults';
import { EntriesService } from './entries.service';
import { entryOf, PendingEntries, type Claimed } from './pending-entries';
import { ScanSettings } from './scan-settings';

/** The result of one scan. */
export interface ScanResult {
  readonly replica: string;
  readonly settled: number;
  readonly refused: number;
  /** Entries that could not be settled now; another scan tries again. */
  readonly left: number;
}

/** Maximum number of entries per scan. */
const MOST_ENTRIES = 1000;
/** In the lab, interval at which each replica checks whether a scan is due. Milliseconds. */
const CHECK_EVERY_MS = 100;
/** Duration of a claim, in addition to the wait and work of the strategy. Milliseconds. */
const CLAIM_MS = 2000;

/**
 * The scheduled scan. Every replica runs it, and they share the entries by claiming them. An entry is settled once: it has
 * the id of its movement, and the database refuses a second movement in the transaction that would write it. A claim only
 * avoids duplicate work: when a replica dies after the movement, its claim expires, and the next scan finds the movement.
 */
@Injectable()
export class ScanService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly condition = new ConditionLog('the scan of pending entries');
  private timer: Ticker | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private lastAt = -Infinity;
  private isStopping = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly settings: ScanSettings,
    private readonly pending: PendingEntries,
    private readonly entries: EntriesService,
    private readonly balances: Balances,
  ) {}

  onApplicationBootstrap(): void {
    const everyMs = this.config.labEnabled ? CHECK_EVERY_MS : this.settings.configuredEveryMs;
    if (everyMs > 0) this.timer = systemClock.every(everyMs, () => this.tick());
  }

  /** Runs before the connections close: finishes the entry in progress and starts no other. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    this.timer?.stop();
    await this.running;
  }

  /** Settles the entries that are pending now. */
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
      this.condition.succeeded();
    } catch (error) {
      this.condition.failed(error); // the next scan tries again
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
      if (claimed === undefined) continue; // another replica has claimed or settled it
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
      const exists =
        hadBefore && (await this.balances.requestsWithMovement(balanceOf(account), [request])).size > 0;
      if (exists) await this.pending.settle(number);
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
      await this.pending.settle(number); // made by a replica whose claim had expired
      return 'settled';
    }
    const { code, status } = problemOf(error);
    if (status >= 500)
      log.write('warn', 'a pending entry was not settled', error, { request: entryOf(number) });
    if (FINAL.has(code)) {
      await this.pending.refuse(number, code);
      return 'refused';
    }
    // with an unknown outcome the claim must expire by itself: a statement may still be in flight
    if (code !== 'OUTCOME_UNKNOWN')
      await this.pending.giveBack(number, code).catch(dropped('giving back a claim'));
    return 'left';
  }
}

/** Refusals that a retry would not change. */
const FINAL = new Set(['ACCOUNT.INSUFFICIENT_FUNDS', 'ACCOUNT.UNKNOWN']);
