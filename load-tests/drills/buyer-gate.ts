import { brief, monotonic, type Listener, type Step } from '#lab/step';
import type { FromBuyer, Breakpoint } from './messages';

/** Tells of every step, and holds the buyer at the mark until it is let go. */
export class BuyerGate {
  private mark: Breakpoint | undefined;
  private open: (() => void) | undefined;

  constructor(private readonly tell: (message: FromBuyer) => void) {}

  /** Lets go what is held; the next stop is `until`. */
  go(until?: Breakpoint): void {
    this.mark = until;
    this.open?.();
    this.open = undefined;
  }

  readonly listener: Listener = async (step, issue) => {
    await this.holdIf('before', step, true);
    const at = monotonic();
    const { kind, verb, text, script, server } = step;
    const told = {
      type: 'step',
      kind,
      verb,
      text,
      ...(script !== undefined && { script }),
      ...(server !== undefined && { server }),
      at,
    } as const;
    try {
      const reply = await issue();
      this.tell({ ...told, took: monotonic() - at, reply: brief(reply) });
      await this.holdIf('after', step, reply !== null && reply !== 0);
      return reply;
    } catch (error) {
      this.tell({
        ...told,
        took: monotonic() - at,
        error: error instanceof Error ? error.message : String(error),
      });
      throw error;
    }
  };

  private holdIf(when: Breakpoint['when'], { verb, script, text }: Step, counts: boolean): Promise<void> {
    const { mark } = this;
    if (mark?.when !== when || !counts) return Promise.resolve();
    if (verb !== mark.name && script !== mark.name && !text.startsWith(mark.name)) return Promise.resolve();
    this.mark = undefined;
    return new Promise((resolve) => {
      this.open = resolve;
      this.tell({ type: 'held', at: monotonic(), when, text });
    });
  }
}
