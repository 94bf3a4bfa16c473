import { AutoResetEvent } from '#lab/step';
import type { PubSubListener, PubSub } from './pub-sub';

/** What a release publishes on, for everybody who waits for the lock (libs/strategy/src/lua/release-*.lua). */
const CHANNEL = 'freed:';

/**
 * A process may give a lock to its own next waiter so often; then all processes are told, and all have the same chance.
 * Its own waiter saves half of the way: its try follows the release on the same connection.
 */
const MOST_IN_A_ROW = 8;

/** So many channels stay subscribed; more than that, and those that nobody waits on are given up. */
const MOST_CHANNELS = 1000;

/** Those of one process who wait for one lock, in the order in which they came. */
interface Line {
  readonly key: string;
  readonly places: QueuedWaiter[];
  /** How often in a row the process has given the lock to its own. */
  passed: number;
}

/** One waiter's place in a line. */
export class QueuedWaiter {
  /** Rings when it is worth trying. Only the first one's rings; who tries in vain stays the first. */
  readonly event = new AutoResetEvent();

  constructor(
    private readonly room: WaitQueues,
    private readonly line: Line,
  ) {}

  get isFirst(): boolean {
    return this.line.places[0] === this;
  }

  /** Resolves when releases are heard. True: they were not before, so that one may have been missed. */
  listen(): Promise<boolean> {
    return this.room.listen(this.line.key);
  }

  /** The lock was obtained. */
  leave(): void {
    this.room.leave(this.line, this);
  }

  /** It was not: whatever was told to this place, the one behind is told. */
  giveUp(): void {
    const { isFirst } = this;
    this.leave();
    if (isFirst) this.line.places[0]?.event.set();
  }
}

/** The lines of one process. A release that is heard wakes one waiter of each line, not all. */
export class WaitQueues implements PubSubListener {
  private readonly lines = new Map<string, Line>();
  /** The locks whose releases are heard, the longest one first. */
  private readonly subscribed = new Set<string>();

  constructor(private readonly pubSub: PubSub) {}

  /** Joins the line for a lock, at its end. */
  enter(key: string): QueuedWaiter {
    let line = this.lines.get(key);
    if (line === undefined) {
      line = { key, places: [], passed: 0 };
      this.lines.set(key, line);
    }
    const place = new QueuedWaiter(this, line);
    line.places.push(place);
    return place;
  }

  /** Whom the process gives the lock to; undefined: nobody waits here, or it is the turn of all processes. */
  nextOf(key: string): QueuedWaiter | undefined {
    const line = this.lines.get(key);
    if (line === undefined) return undefined;
    line.passed = line.passed < MOST_IN_A_ROW ? line.passed + 1 : 0;
    return line.passed > 0 ? line.places[0] : undefined;
  }

  onMessage(channel: string): void {
    if (channel.startsWith(CHANNEL)) this.lines.get(channel.slice(CHANNEL.length))?.places[0]?.event.set();
  }

  onReconnect(): void {
    for (const { places } of this.lines.values()) for (const { event } of places) event.set();
  }

  /** For its places only. */
  leave(line: Line, place: QueuedWaiter): void {
    const at = line.places.indexOf(place);
    if (at >= 0) line.places.splice(at, 1);
    if (line.places.length === 0) this.lines.delete(line.key);
  }

  /** For its places only. Several may ask at the same time: to subscribe twice is harmless, and none waits for what another one does. */
  async listen(key: string): Promise<boolean> {
    if (this.subscribed.has(key)) return false;
    await this.pubSub.subscribe(`${CHANNEL}${key}`);
    this.subscribed.add(key);
    if (this.subscribed.size > MOST_CHANNELS) this.forgetOne();
    return true;
  }

  private forgetOne(): void {
    const idle = [...this.subscribed].find((key) => !this.lines.has(key));
    if (idle === undefined) return;
    this.subscribed.delete(idle);
    void this.pubSub.unsubscribe(`${CHANNEL}${idle}`).catch(() => undefined); // then it is heard in vain
  }
}
