/** Receives the messages of the subscribed channels. */
export interface PubSubListener {
  onMessage(channel: string, message: string): void;
  /** The connection is new, and messages may have been lost: every waiter must try again. */
  onReconnect(): void;
}

/** The Redis subscriptions of one process: one connection for all its waiters. */
export interface PubSub {
  /** Sets the listener. Called once, before anything else. */
  attach(listener: PubSubListener): void;
  /** Resolves once all further messages of the channel are received. Rejects when Redis cannot be reached. */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
}

/** For processes in which no request waits for messages. */
export const NO_PUB_SUB: PubSub = {
  attach: () => undefined,
  subscribe: (channel) =>
    Promise.reject(new Error(`cannot subscribe to ${channel}: pass a PubSub to LocalProcess`)),
  unsubscribe: () => Promise.resolve(),
};
