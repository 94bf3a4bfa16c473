import autocannon from 'autocannon';
import { pathOf } from './decision-client';
import type { LimitRow } from './rows';

const CONNECTIONS = 32;

/** For two windows, or until so many requests are answered. */
export type SteadyLoad = 'two-windows' | { readonly requests: number };

/** The clients send as many requests as the replicas answer, in turn. */
export async function sustain(
  url: string,
  row: LimitRow,
  clients: readonly string[],
  load: SteadyLoad,
): Promise<void> {
  await autocannon({
    url,
    connections: CONNECTIONS,
    ...(load === 'two-windows'
      ? { duration: Math.ceil((2 * row.limit.windowMs) / 1000) }
      : { amount: load.requests }),
    requests: clients.map((client) => ({
      method: 'GET',
      path: pathOf(row),
      headers: { 'x-client': client },
    })),
  });
}
