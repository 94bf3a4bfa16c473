import { Balances } from '#lab/balance';
import { log } from '#lab/http';
import { SqlLocks } from '#lab/locks';
import { LockFolder, Servers, SteppedDataSource, SteppedRedis, systemClock } from '#lab/step';
import { LocalProcess, type Options, type Tools } from '#lab/strategy';
import { Injectable } from '@nestjs/common';

/** Provides strategies with this replica's tools. */
@Injectable()
export class Toolbox {
  constructor(
    private readonly balances: Balances,
    private readonly sqlLocks: SqlLocks,
    private readonly sql: SteppedDataSource,
    private readonly redis: SteppedRedis,
    private readonly servers: Servers,
    private readonly folder: LockFolder,
    readonly process: LocalProcess,
  ) {}

  /** The tools of one request. */
  tools(request: string, options: Options): Tools {
    return {
      balances: options.isolation === 'read-committed' ? this.balances.readCommitted() : this.balances,
      sqlLocks: this.sqlLocks,
      sql: this.sql,
      redis: this.redis,
      servers: this.servers,
      folder: this.folder,
      process: this.process,
      clock: systemClock,
      options,
      work: async () => {
        if (options.workMs > 0) await systemClock.sleep(options.workMs, 'WORK');
      },
      warn: (warning, cause) => {
        log.write('warn', warning, cause, { request });
      },
    };
  }
}
