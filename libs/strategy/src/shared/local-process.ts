import { step } from '#lab/step';
import { Mutex } from 'async-mutex';
import { DEAF, type Notices } from './notices';
import { Turns } from './turns';
import { WaitingRoom } from './waiting-room';

/** One process as its requests see it: mutexes and lines of waiters that are shared inside it and invisible outside. */
export class LocalProcess {
  /** Those of its requests that wait to be told of a release. */
  readonly waiting: WaitingRoom;
  /** Those that wait for their turn in a line that Redis keeps. */
  readonly turns: Turns;
  private readonly mutexes = new Map<string, Mutex>();

  constructor(
    readonly name: string,
    notices: Notices = DEAF,
  ) {
    this.waiting = new WaitingRoom(notices);
    this.turns = new Turns(notices);
    const hearers = [this.waiting, this.turns];
    notices.tell({
      heard: (channel, message) => {
        for (const hearer of hearers) hearer.heard(channel, message);
      },
      missed: () => {
        for (const hearer of hearers) hearer.missed();
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
