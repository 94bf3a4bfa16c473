import { brief, describeError, monotonic, type Listener, type Step } from '#lab/step';
import type { FromBuyer, Breakpoint } from './messages';

/** Reports every step of the buyer to the drill, and holds the buyer at a breakpoint until `go`. */
export class BuyerGate {
  private breakpoint: Breakpoint | undefined;
  private release: (() => void) | undefined;

  constructor(private readonly send: (message: FromBuyer) => void) {}

  /** Releases a held step. The next breakpoint is `until`; absent: none. */
  go(until?: Breakpoint): void {
    this.breakpoint = until;
    this.release?.();
    this.release = undefined;
  }

  readonly listener: Listener = async (step, issue) => {
    await this.holdAt('before', step, true);
    const at = monotonic();
    const { kind, verb, text, script, server } = step;
    const message = {
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
      this.send({ ...message, took: monotonic() - at, reply: brief(reply) });
      await this.holdAt('after', step, reply !== null && reply !== 0);
      return reply;
    } catch (error) {
      this.send({ ...message, took: monotonic() - at, ...describeError(error) });
      throw error;
    }
  };

  private holdAt(when: Breakpoint['when'], { verb, script, text }: Step, canHold: boolean): Promise<void> {
    const { breakpoint } = this;
    if (breakpoint?.when !== when || !canHold) return Promise.resolve();
    const { name } = breakpoint;
    if (verb !== name && script !== name && !text.startsWith(name)) return Promise.resolve();
    this.breakpoint = undefined;
    return new Promise((resolve) => {
      this.release = resolve;
      this.send({ type: 'held', at: monotonic(), when, text });
    });
  }
}
