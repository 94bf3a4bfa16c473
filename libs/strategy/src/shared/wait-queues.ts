import { AutoResetEvent, dropped } from '#lab/step';
import type { PubSubListener, PubSub } from './pub-sub';

/** Prefix of the channel on which a release is published, before the lock key (src/lua/release-*.lua). */
const CHANNEL = 'freed:';

/** Consecutive hand-overs inside one process. The next release is published, so that other processes do not starve. */
const MAX_HAND_OVERS = 8;

/** Subscribed channels per process. Beyond that, a channel without waiters is unsubscribed. */
const MAX_CHANNELS = 1000;

/** The waiters of one process for one lock, in order of arrival. */
interface Queue {
  readonly key: string;
  readonly waiters: QueuedWaiter[];
  /** Hand-overs inside the process since the last published release. */
  handOvers: number;
}

/** A request that waits for a lock. */
export class QueuedWaiter {
  /** Set when a try is worth while. A release sets the event of the first waiter only. */
  readonly event = new AutoResetEvent();

  constructor(
    private readonly queues: WaitQueues,
    private readonly queue: Queue,
  ) {}

  get isFirst(): boolean {
    return this.queue.waiters[0] === this;
  }

  /** Resolves once releases of the lock are received. True: they were not before, so one may have been missed. */
  subscribe(): Promise<boolean> {
    return this.queues.subscribe(this.queue.key);
  }

  /** Leaves the queue with the lock. */
  leave(): void {
    this.queues.remove(this.queue, this);
  }

  /** Leaves the queue without the lock. A release that only this waiter received is passed to the next one. */
  giveUp(): void {
    const { isFirst } = this;
    this.leave();
    if (isFirst) this.queue.waiters[0]?.event.set();
  }
}

/** The wait queues of one process, one per lock. A published release wakes the first waiter of a queue, not all. */
export class WaitQueues implements PubSubListener {
  private readonly queues = new Map<string, Queue>();
  /** Keys of the locks whose channels are subscribed, the oldest subscription first. */
  private readonly subscribed = new Set<string>();

  constructor(private readonly pubSub: PubSub) {}

  /** Joins the queue of a lock, at its end. */
  join(key: string): QueuedWaiter {
    let queue = this.queues.get(key);
    if (queue === undefined) {
      queue = { key, waiters: [], handOvers: 0 };
      this.queues.set(key, queue);
    }
    const waiter = new QueuedWaiter(this, queue);
    queue.waiters.push(waiter);
    return waiter;
  }

  /**
   * The waiter of this process that a release hands the lock over to, counted as a hand-over. Undefined: none waits here, or
   * the release is to be published.
   */
  takeNextWaiter(key: string): QueuedWaiter | undefined {
    const queue = this.queues.get(key);
    if (queue === undefined) return undefined;
    queue.handOvers = queue.handOvers < MAX_HAND_OVERS ? queue.handOvers + 1 : 0;
    return queue.handOvers > 0 ? queue.waiters[0] : undefined;
  }

  onMessage(channel: string): void {
    if (channel.startsWith(CHANNEL)) this.queues.get(channel.slice(CHANNEL.length))?.waiters[0]?.event.set();
  }

  onReconnect(): void {
    for (const { waiters } of this.queues.values()) for (const { event } of waiters) event.set();
  }

  /** For `QueuedWaiter` only. */
  remove(queue: Queue, waiter: QueuedWaiter): void {
    const at = queue.waiters.indexOf(waiter);
    if (at >= 0) queue.waiters.splice(at, 1);
    if (queue.waiters.length === 0) this.queues.delete(queue.key);
  }

  /** For `QueuedWaiter` only. Concurrent calls may subscribe twice, which is harmless; none waits for another's reply. */
  async subscribe(key: string): Promise<boolean> {
    if (this.subscribed.has(key)) return false;
    await this.pubSub.subscribe(`${CHANNEL}${key}`);
    this.subscribed.add(key);
    if (this.subscribed.size > MAX_CHANNELS) this.unsubscribeIdle();
    return true;
  }

  private unsubscribeIdle(): void {
    const idle = [...this.subscribed].find((key) => !this.queues.has(key));
    if (idle === undefined) return;
    this.subscribed.delete(idle);
    void this.pubSub.unsubscribe(`${CHANNEL}${idle}`).catch(dropped('the end of a subscription')); // harmless: its messages find no queue
  }
}
