import type { Stack } from '#lab/stack';
import { monotonic, type HistoryLine } from '#lab/step';
import type { ServerFault } from '#lab/verdict';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlannedFault } from './plan';

/** An injected fault of a server. Its effect, `feltBy`, is read from the history afterwards. */
export type Done = Omit<ServerFault, 'feltBy'>;

/** Injects a planned fault and repairs it. */
export async function doToServer(
  stack: Stack,
  kind: string,
  planned: NonNullable<PlannedFault['server']>,
): Promise<Done> {
  const { target, ms } = planned;
  const from = monotonic();
  await act(stack, kind, target, ms);
  return { kind, target, from, until: monotonic() };
}

async function act(stack: Stack, kind: string, target: string, ms: number): Promise<void> {
  switch (kind) {
    case 'redis-paused':
      await stack.pause(target);
      await delay(ms);
      return stack.resume(target);
    case 'redis-cut':
      await stack.swallow(target);
      await delay(ms);
      await stack.cut(target); // connections that lost data cannot be used any more
      return stack.mend(target);
    case 'database-cut':
      return killConnections(stack.urls.mysql);
    case 'nginx-reloaded':
      return stack.reload();
    default:
      await stack.kill(target);
      await delay(ms);
      return stack.restart(target);
  }
}

/** Kills all connections of the lab's user except this one. */
async function killConnections(url: string): Promise<void> {
  const connection = await createConnection({ uri: url, connectTimeout: 2000 });
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'lab'",
    );
    for (const { id } of rows as { id: number }[])
      await connection.query('KILL ?', [id]).catch(() => undefined); // the connection may have ended by itself
  } finally {
    connection.destroy();
  }
}

/** Microseconds after a fault's end in which it may still show. */
const AFTERMATH = 1_500_000;

/** The first step in the history that shows the fault, as text for people; null: none. */
export function feltBy({ kind, target, from, until }: Done, history: readonly HistoryLine[]): string | null {
  if (kind === 'nginx-reloaded') return 'the new worker of nginx, which serves';
  const felt = history.find(
    (line) =>
      line.type === 'step' &&
      line.t + line.took >= from &&
      line.t <= until + AFTERMATH &&
      (kind === 'replica-lost' ? line.verb === 'WAIT' && Number(line.reply) < 2 : line.error !== undefined) &&
      hits(line, kind, target),
  );
  return felt?.type === 'step' ? `${felt.replica}: ${felt.error ?? felt.text}` : null;
}

function hits(line: HistoryLine & { type: 'step' }, kind: string, target: string): boolean {
  if (kind.startsWith('database')) return line.kind === 'sql';
  if (kind === 'zookeeper-killed') return line.kind === 'zk';
  if (kind === 'etcd-killed') return line.kind === 'etcd';
  if (kind === 'redis-cut')
    return line.kind === 'redis' && line.server === undefined && line.replica === target;
  if (kind.startsWith('redis')) return line.kind === 'redis' && line.server === undefined;
  return kind === 'replica-lost' || line.server === target;
}
