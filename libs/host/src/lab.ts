import { Ledger } from '#lab/balance';
import type { Config } from '#lab/config';
import { readDecisions, readHistory, RequestRecorder } from '#lab/http';
import { Servers, unobserved, type Component, type DecisionLine } from '#lab/step';
import { DEFAULT_OPTIONS, knownStrategies } from '#lab/strategy';
import { Inject, Injectable } from '@nestjs/common';
import { LOCK_INSPECTORS, type RemainingLock, type LockInspector } from './lock-inspectors';
import { CONFIG } from './tokens';
import { Toolbox } from './toolbox';

/** The lab's operations on the balances of a replica. */
@Injectable()
export class LabOperations {
  constructor(
    private readonly ledger: Ledger,
    private readonly toolbox: Toolbox,
    private readonly servers: Servers,
    @Inject(LOCK_INSPECTORS) private readonly inspectors: readonly LockInspector[],
    private readonly requests: RequestRecorder,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Resets a balance: `setRow` sets its row and deletes its movements; then its locks and counts are deleted. */
  async reset(balance: string, amount: number, setRow: () => Promise<void>): Promise<void> {
    await setRow();
    // after the row, so that a count is loaded again from the new amount
    await Promise.all(this.inspectors.map((inspector) => inspector.clear(balance)));
    this.requests.reset(balance, amount);
  }

  /** Deletes the locks and counts of a balance that does not exist, on all reachable servers. */
  async forget(balance: string): Promise<void> {
    await unobserved(() => Promise.allSettled(this.inspectors.map((inspector) => inspector.clear(balance))));
  }

  /**
   * Reconciles the counts that strategies keep outside of the database with it, after a crash. Returns the units by which
   * each strategy's count changed. Throws `UnknownBalance`.
   */
  async reconcile(balance: string): Promise<Readonly<Record<string, number>>> {
    await this.ledger.find(balance);
    const tools = this.toolbox.tools('reconcile', DEFAULT_OPTIONS);
    const changed: Record<string, number> = {};
    for (const { name, reconcile } of knownStrategies()) {
      if (reconcile === undefined) continue;
      changed[name] = await reconcile(balance, tools);
      this.requests.reconciled(balance, name, changed[name]);
    }
    return changed;
  }

  /** The current locks of a balance. */
  async locks(balance: string): Promise<RemainingLock[]> {
    const found = await Promise.all(this.inspectors.map((inspector) => inspector.locks(balance)));
    return found.flat();
  }

  /** The history of a balance since its last reset: one JSON object per line. */
  async history(balance: string): Promise<Buffer> {
    const lines = await readHistory(this.config.historyDir, balance);
    return Buffer.from(lines.map((line) => `${line}\n`).join(''));
  }

  /** The decisions of rate limiters about a client, from all replicas. */
  decisions(client: string): Promise<DecisionLine[]> {
    return readDecisions(this.config.historyDir, client);
  }

  /** The servers on demand that were started. */
  get components(): readonly Component[] {
    return this.servers.components;
  }
}
