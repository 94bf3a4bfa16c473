import { checkChain, type Contradiction } from '../chain';
import type { Evidence } from './evidence';

/**
 * Whether the movements form one chain from the initial to the final stock, in an order that real time allows. A sale
 * was asked for when an inventory replica began its request, and answered when it ended: never, if the replica died.
 */
export function chainOf({ initial, finalStock, movements, history }: Evidence): Contradiction | undefined {
  const asked = new Map<string, number>();
  const answered = new Map<string, number>();
  for (const line of history) {
    if (line.type === 'request' && line.app === 'inventory') asked.set(line.request, line.t);
    if (line.type === 'outcome' && line.app === 'inventory') answered.set(line.request, line.t);
  }
  return checkChain(
    initial,
    finalStock,
    movements.map(({ request, before, after }) => ({
      request,
      before,
      after,
      asked: asked.get(request) ?? -Infinity,
      answered: answered.get(request) ?? Infinity,
    })),
  );
}
