import { ConditionLog } from '#lab/http';
import { unobserved } from '#lab/step';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { OrderIntentsRepository } from './order-intents.repository';

const BEAT_MS = 500;
/**
 * After this time without a heartbeat, a request with the same idempotency key may take over an order intent.
 * Milliseconds.
 */
export const HEARTBEAT_TIMEOUT_MS = 3000;

/**
 * Sends heartbeats for the order intents whose deduction this replica waits for, so that they are not cancelled while they wait
 * for a lock. Correctness does not depend on it: the inventory refuses the deduction of an intent that was cancelled by mistake.
 */
@Injectable()
export class Heartbeat implements BeforeApplicationShutdown {
  private readonly active = new Set<string>();
  private previous: readonly string[] = [];
  private readonly timer = setInterval(() => void this.beat(), BEAT_MS).unref();
  private isBeating = false;
  private readonly condition = new ConditionLog('the heartbeat of orders');

  constructor(private readonly intents: OrderIntentsRepository) {}

  /** Runs `work`, and sends heartbeats for the intent `id` meanwhile. */
  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.active.add(id);
    try {
      return await work();
    } finally {
      this.active.delete(id);
    }
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Updates only the intents that were active at the previous heartbeat too: most orders finish before that. */
  private async beat(): Promise<void> {
    if (this.isBeating) return;
    const longRunning = this.previous.filter((id) => this.active.has(id));
    this.previous = [...this.active];
    if (longRunning.length === 0) return;
    this.isBeating = true;
    try {
      await unobserved(() => this.intents.seen(longRunning));
      this.condition.succeeded();
    } catch (error) {
      this.condition.failed(error); // intents without a heartbeat may be cancelled
    } finally {
      this.isBeating = false;
    }
  }
}
