import type { Component } from '#lab/step';
import { rmSync } from 'node:fs';
import { startProcesses } from './processes';
import type { Stack } from './types';

/** Servers without replicas, for schedules, in a folder that no other stack uses. */
export interface OwnServers {
  readonly dir: string;
  /** Rejects when the servers do not start, with the error of `startProcesses`. */
  readonly started: Promise<Stack>;
  /** Stops the servers and removes their folder, also while they start. Safe to repeat. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts servers that only run schedules. Durability is relaxed, because a schedule never outlives its servers; their conditions
 * record this.
 *
 * @param dir is created; where its name ends with the pid of this process, a later start removes what a crash leaves of it
 * @param options the components that start with the servers, and a signal that ends the start
 */
export function startOwnServers(
  dir: string,
  options: { readonly components?: readonly Component[]; readonly signal?: AbortSignal } = {},
): OwnServers {
  const started = startProcesses({
    dir,
    replicas: { order: 0, inventory: 0 },
    lab: true,
    durability: 'relaxed',
    ...options,
  });
  const stop = async (): Promise<void> => {
    const stack = await started.catch(() => undefined); // a start that fails stops its own processes
    await stack?.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  return { dir, started, stop };
}
