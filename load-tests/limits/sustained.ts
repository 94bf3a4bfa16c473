import autocannon from 'autocannon';
import { pathOf } from './decision-client';
import type { LimitRow } from './rows';

const CONNECTIONS = 32;

/** Four clients send as many requests as the replicas answer, in turn, for two windows. */
export async function sustain(url: string, row: LimitRow, clients: readonly string[]): Promise<void> {
  await autocannon({
    url,
    connections: CONNECTIONS,
    duration: Math.ceil((2 * row.limit.windowMs) / 1000),
    requests: clients.map((client) => ({
      method: 'GET',
      path: pathOf(row),
      headers: { 'x-client': client },
    })),
  });
}
