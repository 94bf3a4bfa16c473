import { step, type SteppedRedis } from '#lab/step';
import type { PubSubListener, PubSub } from '#lab/strategy';
import { openRedis, type WorldOptions } from './actor-connections';

type Message = readonly [channel: string, message: string];

/** What of a process decides whether it hears. */
interface Listener {
  readonly alive: boolean;
  readonly cut: boolean;
}

/** A world's connection that hears every message that a strategy may publish. */
export class PubSubMonitor {
  private messages: Message[] = [];

  private constructor(private readonly redis: SteppedRedis) {
    redis.on('pmessage', (_pattern: string, channel: string, message: string) => {
      this.messages.push([channel, message]);
    });
  }

  static async open(options: WorldOptions): Promise<PubSubMonitor> {
    const redis = await openRedis(options, 'explorer-hears');
    const pubSub = new PubSubMonitor(redis);
    await redis.psubscribe('freed:*', 'turn:*');
    return pubSub;
  }

  /** Everything that was published before this call: the server answers a PING behind it. */
  async take(): Promise<readonly Message[]> {
    await this.redis.ping();
    return this.messages.splice(0);
  }

  close(): void {
    this.redis.disconnect();
  }
}

/**
 * The ears of a schedule's processes. To subscribe is a step of the actor who does it, so that it has its place in the
 * order; what a step publishes is heard when it is answered. When the waiter goes on is another choice.
 */
export class PubSubInbox {
  private readonly inbox: { process: Listener; hearer?: PubSubListener; channels: Set<string> }[] = [];

  constructor(private readonly pubSub: PubSubMonitor) {}

  /** For one process. */
  of(process: Listener): PubSub {
    const subscriber: (typeof this.inbox)[number] = { process, channels: new Set() };
    this.inbox.push(subscriber);
    const say = (verb: string, channel: string, done: () => unknown): Promise<void> =>
      step(
        () => ({ kind: 'redis', verb, text: `${verb} ${channel}`, key: channel }),
        () => {
          done();
          return Promise.resolve();
        },
      );
    return {
      attach: (hearer) => (subscriber.hearer = hearer),
      subscribe: (channel) => say('SUBSCRIBE', channel, () => subscriber.channels.add(channel)),
      unsubscribe: (channel) => say('UNSUBSCRIBE', channel, () => subscriber.channels.delete(channel)),
    };
  }

  /** Tells what the command `text` has published. */
  async deliver(text: string): Promise<void> {
    if (!this.inbox.some(({ channels }) => channels.size > 0)) return;
    for (const [channel, message] of await this.pubSub.take()) {
      // several worlds share a server, and channels know no databases: the message names who has published it
      if (channel.startsWith('freed:') && !text.includes(message)) continue;
      for (const { process, hearer, channels } of this.inbox)
        if (process.alive && !process.cut && channels.has(channel)) hearer?.onMessage(channel, message);
    }
  }

  /** Redis has restarted: every connection is a new one. */
  onReconnect(): void {
    for (const { process, hearer } of this.inbox) if (process.alive && !process.cut) hearer?.onReconnect();
  }
}
