import { Ledger } from '#lab/balance';
import type { Config } from '#lab/config';
import { readHistory, RequestRecorder } from '#lab/http';
import { Servers, unobserved, type Component } from '#lab/step';
import { CATALOGUE, DEFAULT_OPTIONS } from '#lab/strategy';
import { Inject, Injectable } from '@nestjs/common';
import { LOCK_INSPECTORS, type RemainingLock, type LockInspector } from './lock-inspectors';
import { CONFIG } from './tokens';
import { Toolbox } from './toolbox';

/** What the lab may do with the balances of a replica, and see of them. */
@Injectable()
export class LabOperations {
  constructor(
    @Inject(Ledger) private readonly ledger: Ledger,
    @Inject(Toolbox) private readonly toolbox: Toolbox,
    @Inject(Servers) private readonly servers: Servers,
    @Inject(LOCK_INSPECTORS) private readonly inspectors: readonly LockInspector[],
    @Inject(RequestRecorder) private readonly requests: RequestRecorder,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Sets a balance anew: `setRow` sets its row and forgets its movements, then its locks go. */
  async reset(balance: string, amount: number, setRow: () => Promise<void>): Promise<void> {
    await setRow();
    // after the row: a count that is loaded from now on is loaded from the new amount
    await Promise.all(this.inspectors.map((inspector) => inspector.clear(balance)));
    this.requests.reset(balance, amount);
  }

  /** There is no such balance: what strategies have noted about it goes, where its server can be reached. */
  async forget(balance: string): Promise<void> {
    await unobserved(() => Promise.allSettled(this.inspectors.map((inspector) => inspector.clear(balance))));
  }

  /**
   * Brings the counts that strategies keep outside of the database together with it, after a crash. Returns the units by
   * which each strategy's count has changed. Throws `UnknownBalance`.
   */
  async reconcile(balance: string): Promise<Readonly<Record<string, number>>> {
    await this.ledger.find(balance);
    const tools = this.toolbox.tools('reconcile', DEFAULT_OPTIONS);
    const changed: Record<string, number> = {};
    for (const { name, reconcile } of CATALOGUE) {
      if (reconcile === undefined) continue;
      changed[name] = await reconcile(balance, tools);
      this.requests.reconciled(balance, name, changed[name]);
    }
    return changed;
  }

  /** The locks of a balance that exist now. */
  async locks(balance: string): Promise<RemainingLock[]> {
    const found = await Promise.all(this.inspectors.map((inspector) => inspector.locks(balance)));
    return found.flat();
  }

  /** What was recorded of a balance since its last reset: one JSON object per line. */
  async history(balance: string): Promise<Buffer> {
    const lines = await readHistory(this.config.historyDir, balance);
    return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  /** The servers on demand that this lab has. */
  get components(): readonly Component[] {
    return this.servers.components;
  }
}
