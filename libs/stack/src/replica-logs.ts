import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Stack } from './types';

const LOG_OF_REPLICA = /^((?:order|inventory|account)-\d+)\.log$/;

/**
 * The lines that the replicas of a stack have logged about a request, each with the name of its replica. Empty when the stack
 * runs its replicas elsewhere.
 */
export function replicaLog({ historyDir }: Pick<Stack, 'historyDir'>, request: string): readonly string[] {
  const dir = join(dirname(historyDir), 'logs');
  const about = JSON.stringify(request);
  return namesIn(dir).flatMap((name) => {
    const replica = LOG_OF_REPLICA.exec(name)?.[1];
    if (replica === undefined) return [];
    return readFileSync(join(dir, name), 'utf8')
      .split('\n')
      .filter((line) => line.includes(about))
      .map((line) => `${replica}: ${line}`);
  });
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).sort();
  } catch {
    return []; // the lab was started by another program, and its logs are there
  }
}
