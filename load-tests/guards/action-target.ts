import type { Effect, OldPages, UseName } from '#lab/guard';
import type { HistoryLine } from '#lab/step';
import { Target } from '#load-tests/run';

/** The actions of a lab. */
export class ActionTarget extends Target {
  resetActions(use: UseName, keys: readonly string[], oldPages?: OldPages): Promise<unknown> {
    return this.json('POST', '/lab/account/actions/reset', { body: { use, keys, ...oldPages } });
  }

  async effects(use: UseName): Promise<readonly Effect[]> {
    return (await this.json('GET', `/lab/account/actions/${use}/effects`)) as Effect[];
  }

  /** From the order app: a replica of the account app may be paused, and would answer late. */
  override history(use: string): Promise<HistoryLine[]> {
    return this.lines(`/lab/history/action.${use}`);
  }
}
