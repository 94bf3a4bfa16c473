import { step } from '#lab/step';
import { Mutex } from 'async-mutex';
import { NO_PUB_SUB, type PubSub } from './pub-sub';
import { Turns } from './turns';
import { WaitQueues } from './wait-queues';

/** One process as its requests see it: mutexes and lines of waiters that are shared inside it and invisible outside. */
export class LocalProcess {
  /** Those of its requests that wait to be told of a release. */
  readonly waiting: WaitQueues;
  /** Those that wait for their turn in a line that Redis keeps. */
  readonly turns: Turns;
  private readonly mutexes = new Map<string, Mutex>();

  constructor(
    readonly name: string,
    pubSub: PubSub = NO_PUB_SUB,
  ) {
    this.waiting = new WaitQueues(pubSub);
    this.turns = new Turns(pubSub);
    const hearers = [this.waiting, this.turns];
    pubSub.attach({
      onMessage: (channel, message) => {
        for (const hearer of hearers) hearer.onMessage(channel, message);
      },
      onReconnect: () => {
        for (const hearer of hearers) hearer.onReconnect();
      },
    });
  }

  /** Runs `section` while no other request of this process is in a section of the same key. Waits in line. */
  async exclusive<T>(key: string, section: () => Promise<T>): Promise<T> {
    const release = await step(
      () => ({ kind: 'local', verb: 'LOCK', text: `LOCK ${key} in ${this.name}`, key }),
      () => this.mutex(key).acquire(),
    );
    try {
      return await section();
    } finally {
      release();
      if (!this.isLocked(key)) this.mutexes.delete(key); // one for each key that is in use
    }
  }

  /** True while a request of this process is inside. */
  isLocked(key: string): boolean {
    return this.mutexes.get(key)?.isLocked() ?? false;
  }

  private mutex(key: string): Mutex {
    const found = this.mutexes.get(key) ?? new Mutex();
    this.mutexes.set(key, found);
    return found;
  }
}
