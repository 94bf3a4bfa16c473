import type { Config } from '#lab/config';
import { CONFIG } from '#lab/host';
import { SteppedDataSource } from '#lab/step';
import { DEFAULT_OPTIONS, DEFAULT_STRATEGY, findStrategy, optionsSchema, type Options } from '#lab/strategy';
import type { Strategy } from '#lab/strategy';
import { Inject, Injectable } from '@nestjs/common';

/** The settings of the scan. */
export interface ScanSetting {
  /** Interval on each replica, milliseconds; 0: never. */
  readonly everyMs: number;
  readonly strategy: Strategy;
  readonly options: Options;
}

interface Row {
  readonly everyMs: number;
  readonly strategy: string;
  readonly options: string;
}

/**
 * The settings from the environment. In the lab, the last ones that were written to the database override them on all
 * replicas.
 */
@Injectable()
export class ScanSettings {
  /** Set by the constructor, which throws `UnknownStrategy` when the environment names an unknown strategy. */
  private readonly configured: ScanSetting;

  constructor(
    @Inject(CONFIG) { scan }: Config,
    private readonly dataSource: SteppedDataSource,
  ) {
    const strategy = findStrategy(scan.strategy ?? DEFAULT_STRATEGY);
    this.configured = { everyMs: scan.everyMs, strategy, options: DEFAULT_OPTIONS };
  }

  get configuredEveryMs(): number {
    return this.configured.everyMs;
  }

  async read(): Promise<ScanSetting> {
    const [row] = await this.dataSource.query<Row[]>(
      'SELECT every_ms AS everyMs, strategy, options FROM scan_setting',
    );
    if (row === undefined) return this.configured;
    return {
      everyMs: row.everyMs,
      strategy: findStrategy(row.strategy),
      options: optionsSchema.parse(JSON.parse(row.options)),
    };
  }

  /** Stores the settings for all replicas; each applies them at its next check. */
  async write({ everyMs, strategy, options }: ScanSetting): Promise<void> {
    await this.dataSource.query(
      'REPLACE INTO scan_setting (id, every_ms, strategy, options) VALUES (1, ?, ?, ?)',
      [everyMs, strategy.name, JSON.stringify(options)],
    );
  }
}
