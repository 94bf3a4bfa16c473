import { unobserved } from '#lab/step';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { OrderIntentsRepository } from './order-intents.repository';

const BEAT_MS = 500;
/** After so many milliseconds without a beat, whoever has the key may take a placement over. */
export const HEARTBEAT_TIMEOUT_MS = 3000;

/**
 * Says every now and then which placements this replica is at work on, so that nobody gives them up while they wait for a lock.
 * Only patience hangs on it: a replica that was given up in error is refused by the inventory.
 */
@Injectable()
export class Heartbeat implements BeforeApplicationShutdown {
  private readonly open = new Set<string>();
  private known: readonly string[] = [];
  private readonly timer = setInterval(() => void this.beat(), BEAT_MS).unref();
  private isBeating = false;

  constructor(@Inject(OrderIntentsRepository) private readonly intents: OrderIntentsRepository) {}

  /** Runs `work`, and meanwhile says that the placement is worked on. */
  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.open.add(id);
    try {
      return await work();
    } finally {
      this.open.delete(id);
    }
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Most orders do not live so long: only those that were there at the last beat are told. */
  private async beat(): Promise<void> {
    if (this.isBeating) return;
    const old = this.known.filter((id) => this.open.has(id));
    this.known = [...this.open];
    if (old.length === 0) return;
    this.isBeating = true;
    try {
      await unobserved(() => this.intents.seen(old));
    } catch {
      // the database is away: who cannot be heard may be given up
    } finally {
      this.isBeating = false;
    }
  }
}
