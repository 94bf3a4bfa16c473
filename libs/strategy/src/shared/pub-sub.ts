/** Who is told what was published. */
export interface PubSubListener {
  onMessage(channel: string, message: string): void;
  /** Messages may have been lost, for example with the connection: everybody who waits must look again. */
  onReconnect(): void;
}

/** One process's ear in Redis: one connection, however many wait. */
export interface PubSub {
  /** Says who is told; called once, before anything else. */
  attach(hearer: PubSubListener): void;
  /** Resolves when every message of the channel is heard from now on. Rejects when Redis cannot be reached. */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
}

/** For processes in which nobody waits for messages. */
export const NO_PUB_SUB: PubSub = {
  attach: () => undefined,
  subscribe: (channel) =>
    Promise.reject(new Error(`nobody hears ${channel} here: give LocalProcess its notices`)),
  unsubscribe: () => Promise.resolve(),
};
