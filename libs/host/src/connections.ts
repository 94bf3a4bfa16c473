import { RequestRecorder } from '#lab/http';
import { Servers, SteppedDataSource, SteppedRedis } from '#lab/step';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Injection token of the Redis connection that subscribes to lock releases. */
export const SUBSCRIBER = Symbol('subscriber');

/** Closes the connections after the requests that still hold locks have finished. */
@Injectable()
export class Connections implements OnApplicationShutdown {
  constructor(
    private readonly dataSource: SteppedDataSource,
    private readonly redis: SteppedRedis,
    private readonly servers: Servers,
    @Inject(SUBSCRIBER) private readonly subscriber: SteppedRedis,
    private readonly requests: RequestRecorder,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.redis.disconnect();
    this.subscriber.disconnect();
    this.servers.disconnect();
    await this.dataSource.destroy();
    this.requests.close();
  }
}
