import { dropped, unobserved } from '#lab/step';
import type { Redis } from 'ioredis';
import type { PubSubListener, PubSub } from './pub-sub';

/** Pub/sub over a Redis connection of its own: a connection that has subscribed accepts no other commands. */
export class RedisPubSub implements PubSub {
  private readonly channels = new Set<string>();

  constructor(private readonly redis: Redis) {}

  attach(listener: PubSubListener): void {
    this.redis.on('message', (channel: string, message: string) => {
      listener.onMessage(channel, message);
    });
    this.redis.on('ready', () => {
      void this.resubscribe(listener);
    });
  }

  async subscribe(channel: string): Promise<void> {
    this.channels.add(channel); // first, so that a reconnect in between subscribes to it
    await this.redis.subscribe(channel);
  }

  async unsubscribe(channel: string): Promise<void> {
    this.channels.delete(channel);
    await this.redis.unsubscribe(channel);
  }

  /** A new connection has no subscriptions, and messages published in between are lost. */
  private async resubscribe(listener: PubSubListener): Promise<void> {
    if (this.channels.size === 0) return;
    try {
      await unobserved(() => this.redis.subscribe(...this.channels));
      listener.onReconnect();
    } catch (error) {
      dropped('the renewal of subscriptions')(error);
      // the connection was lost again: the next one subscribes, and until then each wait ends after one lease
    }
  }
}
