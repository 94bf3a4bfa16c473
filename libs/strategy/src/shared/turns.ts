import { AutoResetEvent } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { PubSubListener, PubSub } from './pub-sub';

/** One request's place in a line that Redis keeps: whoever gives it the lock names its token. */
export interface Turn {
  /** Its name in Redis: `process:request`, so that the message finds the process. */
  readonly token: string;
  readonly event: AutoResetEvent;
  /** The lock was given to it. */
  readonly hasCome: boolean;
  /** Nobody waits for it any more. */
  forget(): void;
}

/** The turns that the requests of one process wait for: one channel for all of them, and each is told by name. */
export class Turns implements PubSubListener {
  private readonly id = randomUUID();
  private readonly awaited = new Map<string, { hasCome: boolean; readonly event: AutoResetEvent }>();
  private isListening = false;

  constructor(private readonly pubSub: PubSub) {}

  /** A new turn. What happens to it is heard from now on; rejects when Redis cannot be reached. */
  async expect(): Promise<Turn> {
    if (!this.isListening) await this.pubSub.subscribe(`turn:${this.id}`);
    this.isListening = true;
    const token = `${this.id}:${randomUUID()}`;
    const turn = {
      token,
      event: new AutoResetEvent(),
      hasCome: false,
      forget: () => void this.awaited.delete(token),
    };
    this.awaited.set(token, turn);
    return turn;
  }

  onMessage(_channel: string, token: string): void {
    const turn = this.awaited.get(token);
    if (turn === undefined) return;
    turn.hasCome = true;
    turn.event.set();
  }

  onReconnect(): void {
    for (const { event } of this.awaited.values()) event.set();
  }
}
