import { unobserved } from '#lab/step';
import type { Redis } from 'ioredis';
import type { PubSubListener, PubSub } from './pub-sub';

/** Notices over a Redis connection of its own: one that has subscribed can do nothing else. */
export class RedisPubSub implements PubSub {
  private readonly channels = new Set<string>();

  constructor(private readonly redis: Redis) {}

  attach(hearer: PubSubListener): void {
    this.redis.on('message', (channel: string, message: string) => {
      hearer.onMessage(channel, message);
    });
    this.redis.on('ready', () => {
      void this.subscribeAgain(hearer);
    });
  }

  async subscribe(channel: string): Promise<void> {
    this.channels.add(channel); // first: a reconnect in between must know of it
    await this.redis.subscribe(channel);
  }

  async unsubscribe(channel: string): Promise<void> {
    this.channels.delete(channel);
    await this.redis.unsubscribe(channel);
  }

  /** A new connection knows nothing. What was published while there was none is lost. */
  private async subscribeAgain(hearer: PubSubListener): Promise<void> {
    if (this.channels.size === 0) return;
    try {
      await unobserved(() => this.redis.subscribe(...this.channels));
      hearer.onReconnect();
    } catch {
      // lost once more: the next connection tries again, and meanwhile nobody waits longer than a lease
    }
  }
}
