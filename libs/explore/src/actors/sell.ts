import type { Change } from '#lab/balance';
import { codeOf, type Clock } from '#lab/step';
import { cartStrategy } from '#lab/strategy';
import type { Actor } from './actor';
import { type Setup, BALANCE } from '../world';

/** Result of a request. */
interface Outcome {
  /** `APPLIED`, or the stable code of its error. */
  readonly code: string;
  readonly text: string;
}

/** Runs an actor's request: buys one unit, or one of each balance in its cart. Never rejects. */
export async function sell(
  { name, process, connections, cart }: Actor,
  { options }: Setup,
  clock: Clock,
  warn: (warning: string) => void,
): Promise<Outcome> {
  const { strategy } = process;
  const { redis, servers, folder, balances } = connections;
  const { workMs } = options;
  const change = (balance: string): Change => ({
    balance,
    delta: -1,
    request: name,
    replica: process.name,
    strategy: strategy.name,
  });
  const tools = {
    balances,
    redis,
    servers,
    folder,
    options,
    clock,
    process: process.local,
    work: () => (workMs > 0 ? clock.sleep(workMs, 'WORK') : Promise.resolve()),
    warn,
  };
  try {
    const [only = BALANCE, ...others] = cart ?? [];
    if (others.length === 0) {
      const { before, after } = await strategy.apply(change(only), tools);
      return { code: 'APPLIED', text: `sold one: ${before} → ${after}` };
    }
    const sold = await cartStrategy(strategy).applyAll([only, ...others].map(change), tools);
    const sales = sold.map(({ balance, before, after }) => `${balance} ${before} → ${after}`);
    return { code: 'APPLIED', text: `sold one of each: ${sales.join(', ')}` };
  } catch (error) {
    return { code: codeOf(error), text: error instanceof Error ? error.message : String(error) };
  }
}
