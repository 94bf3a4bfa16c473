import { RequestRecorder } from '#lab/http';
import { Servers, SteppedDataSource, SteppedRedis } from '#lab/step';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Injection token of the Redis connection that subscribes to lock releases. */
export const SUBSCRIBER = Symbol('subscriber');

/** Closes the connections after the requests that still hold locks have finished. */
@Injectable()
export class Connections implements OnApplicationShutdown {
  constructor(
    @Inject(SteppedDataSource) private readonly dataSource: SteppedDataSource,
    @Inject(SteppedRedis) private readonly redis: SteppedRedis,
    @Inject(Servers) private readonly servers: Servers,
    @Inject(SUBSCRIBER) private readonly subscriber: SteppedRedis,
    @Inject(RequestRecorder) private readonly requests: RequestRecorder,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.redis.disconnect();
    this.subscriber.disconnect();
    this.servers.disconnect();
    await this.dataSource.destroy();
    this.requests.close();
  }
}
