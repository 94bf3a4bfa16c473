import type { Stack } from '#lab/stack';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Resident memory of every replica, megabytes (10⁶ bytes), as the operating system counts it. */
export async function residentMemory(stack: Stack): Promise<Record<string, number>> {
  const replicas = await stack.replicas();
  const sizes = replicas.map(async ({ name, pid }) => {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return [name, (Number(stdout) * 1024) / 1e6] as const;
  });
  return Object.fromEntries(await Promise.all(sizes));
}
