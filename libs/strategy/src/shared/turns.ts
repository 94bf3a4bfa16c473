import { AutoResetEvent } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { PubSubListener, PubSub } from './pub-sub';

/** One request's entry in a queue that Redis keeps. The release that gives it the lock publishes its token. */
export interface Turn {
  /** Its name in Redis: `process:request`. The first part names the channel of its process. */
  readonly token: string;
  readonly event: AutoResetEvent;
  /** The lock was given to this request. */
  readonly isGranted: boolean;
  /** Stops receiving messages for this turn. */
  cancel(): void;
}

/** The pending turns of one process. They share one channel; a message carries the token of the turn that it is for. */
export class Turns implements PubSubListener {
  private readonly id = randomUUID();
  private readonly pending = new Map<string, { isGranted: boolean; readonly event: AutoResetEvent }>();
  private isSubscribed = false;

  constructor(private readonly pubSub: PubSub) {}

  /** A new turn, whose messages are received from now on. Rejects when Redis cannot be reached. */
  async create(): Promise<Turn> {
    if (!this.isSubscribed) await this.pubSub.subscribe(`turn:${this.id}`);
    this.isSubscribed = true;
    const token = `${this.id}:${randomUUID()}`;
    const turn = {
      token,
      event: new AutoResetEvent(),
      isGranted: false,
      cancel: () => void this.pending.delete(token),
    };
    this.pending.set(token, turn);
    return turn;
  }

  onMessage(_channel: string, token: string): void {
    const turn = this.pending.get(token);
    if (turn === undefined) return;
    turn.isGranted = true;
    turn.event.set();
  }

  onReconnect(): void {
    for (const { event } of this.pending.values()) event.set();
  }
}
