import { nameTokens } from '../schedule';
import type { Run } from '../execution';

/**
 * Names of the random tokens in the steps of a run: the actor that has sent a token first, and how many it had sent before. They are
 * the same in every run of equivalent schedules, so that keys and rows of different runs can be compared.
 */
export class TokenNames {
  private static readonly ofRuns = new WeakMap<Run, TokenNames>();

  private readonly names = new Map<string, string>();
  /** By actor. */
  private readonly counts = new Map<string, number>();

  static of(run: Run): TokenNames {
    const known = TokenNames.ofRuns.get(run);
    if (known !== undefined) return known;
    const names = new TokenNames();
    TokenNames.ofRuns.set(run, names);
    return names;
  }

  /** The text with names instead of tokens. `actor`: sends the text. */
  replaceIn(text: string, actor = ''): string {
    return nameTokens(text, this.names, () => {
      const count = (this.counts.get(actor) ?? 0) + 1;
      this.counts.set(actor, count);
      return `${actor}-${count}`;
    });
  }
}
