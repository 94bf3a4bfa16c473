import { ACQUIRES, step } from '#lab/step';
import { Mutex } from 'async-mutex';
import { NO_PUB_SUB, type PubSub } from './pub-sub';
import { Turns } from './turns';
import { WaitQueues } from './wait-queues';

/** The memory of one process: mutexes and wait queues that its requests share and other processes cannot see. */
export class LocalProcess {
  /** Requests that wait for the notification of a release. */
  readonly waitQueues: WaitQueues;
  /** Requests that wait for their turn in a queue that Redis keeps. */
  readonly turns: Turns;
  private readonly mutexes = new Map<string, Mutex>();

  constructor(
    readonly name: string,
    pubSub: PubSub = NO_PUB_SUB,
  ) {
    this.waitQueues = new WaitQueues(pubSub);
    this.turns = new Turns(pubSub);
    const listeners = [this.waitQueues, this.turns];
    pubSub.attach({
      onMessage: (channel, message) => {
        for (const listener of listeners) listener.onMessage(channel, message);
      },
      onReconnect: () => {
        for (const listener of listeners) listener.onReconnect();
      },
    });
  }

  /** Runs `section` while no other request of this process runs a section of the same key. First come, first served. */
  async exclusive<T>(key: string, section: () => Promise<T>): Promise<T> {
    const release = await step(
      () => ({ kind: 'local', verb: 'LOCK', text: `LOCK ${key} in ${this.name}`, key, lock: ACQUIRES }),
      () => this.mutex(key).acquire(),
    );
    try {
      return await section();
    } finally {
      release();
      if (!this.isLocked(key)) this.mutexes.delete(key); // the map holds only the keys in use
    }
  }

  /** True while a request of this process runs a section of this key. */
  isLocked(key: string): boolean {
    return this.mutexes.get(key)?.isLocked() ?? false;
  }

  private mutex(key: string): Mutex {
    const found = this.mutexes.get(key) ?? new Mutex();
    this.mutexes.set(key, found);
    return found;
  }
}
