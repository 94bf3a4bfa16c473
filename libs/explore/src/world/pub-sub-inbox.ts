import { step, type SteppedRedis } from '#lab/step';
import type { PubSubListener, PubSub } from '#lab/strategy';
import { openRedis, type WorldOptions } from './actor-connections';

type Message = readonly [channel: string, message: string];

/** The state of a process that decides whether it receives messages. */
interface Receiver {
  readonly alive: boolean;
  readonly cut: boolean;
}

/** Receives every message that a strategy may publish. */
export class PubSubMonitor {
  private messages: Message[] = [];

  private constructor(private readonly redis: SteppedRedis) {
    redis.on('pmessage', (_pattern: string, channel: string, message: string) => {
      this.messages.push([channel, message]);
    });
  }

  static async open(options: WorldOptions): Promise<PubSubMonitor> {
    const redis = await openRedis(options, 'explorer-pub-sub');
    const pubSub = new PubSubMonitor(redis);
    await redis.psubscribe('freed:*', 'turn:*');
    return pubSub;
  }

  /** All messages published before this call: the server answers the PING after it has delivered them. */
  async take(): Promise<readonly Message[]> {
    await this.redis.ping();
    return this.messages.splice(0);
  }

  close(): void {
    this.redis.disconnect();
  }
}

/**
 * Pub/sub of a schedule's processes. SUBSCRIBE is a step of its actor, so that it has its place in the interleaving;
 * a message is delivered when the step that published it is answered. When the waiter resumes is a separate choice.
 */
export class PubSubInbox {
  private readonly inbox: { process: Receiver; listener?: PubSubListener; channels: Set<string> }[] = [];

  constructor(private readonly pubSub: PubSubMonitor) {}

  of(process: Receiver): PubSub {
    const subscriber: (typeof this.inbox)[number] = { process, channels: new Set() };
    this.inbox.push(subscriber);
    const asStep = (verb: string, channel: string, done: () => unknown): Promise<void> =>
      step(
        () => ({ kind: 'redis', verb, text: `${verb} ${channel}`, key: channel }),
        () => {
          done();
          return Promise.resolve();
        },
      );
    return {
      attach: (listener) => (subscriber.listener = listener),
      subscribe: (channel) => asStep('SUBSCRIBE', channel, () => subscriber.channels.add(channel)),
      unsubscribe: (channel) => asStep('UNSUBSCRIBE', channel, () => subscriber.channels.delete(channel)),
    };
  }

  /** The process waits for messages. */
  isSubscribed(process: Receiver): boolean {
    return this.inbox.some((one) => one.process === process && one.channels.size > 0);
  }

  /** Delivers what the command `text` published. */
  async deliver(text: string): Promise<void> {
    if (!this.inbox.some(({ channels }) => channels.size > 0)) return;
    for (const [channel, message] of await this.pubSub.take()) {
      // Worlds share a server, and channels are not per database: the message contains the publisher's token.
      if (channel.startsWith('freed:') && !text.includes(message)) continue;
      for (const { process, listener, channels } of this.inbox)
        if (process.alive && !process.cut && channels.has(channel)) listener?.onMessage(channel, message);
    }
  }

  /** Redis has restarted: subscribers reconnect. */
  onReconnect(): void {
    for (const { process, listener } of this.inbox)
      if (process.alive && !process.cut) listener?.onReconnect();
  }
}
