import { Balances } from '#lab/balance';
import { LockFolder, Servers, SteppedRedis, systemClock } from '#lab/step';
import { LocalProcess, type Options, type Tools } from '#lab/strategy';
import { Inject, Injectable, Logger } from '@nestjs/common';

/** Provides strategies with this replica's tools. */
@Injectable()
export class Toolbox {
  private readonly logger = new Logger(Toolbox.name);

  constructor(
    @Inject(Balances) private readonly balances: Balances,
    @Inject(SteppedRedis) private readonly redis: SteppedRedis,
    @Inject(Servers) private readonly servers: Servers,
    @Inject(LockFolder) private readonly folder: LockFolder,
    @Inject(LocalProcess) readonly process: LocalProcess,
  ) {}

  /** The tools of one request. */
  tools(request: string, options: Options): Tools {
    return {
      balances: this.balances,
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
        this.logger.warn({ warning, request, cause });
      },
    };
  }
}
