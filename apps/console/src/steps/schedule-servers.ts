import { ensureInstalled, startProcesses, type Stack, type Urls } from '#lab/stack';
import type { Component } from '#lab/step';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { rmSync } from 'node:fs';
import { ConsoleOptions } from '../console-options';

/**
 * Private servers that only run schedules, started with the first one: the load of a run, and faults of its servers, do not
 * reach them. Durability is relaxed, because a schedule never outlives its servers.
 */
@Injectable()
export class ScheduleServers implements OnApplicationShutdown {
  private stack: Promise<Stack> | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: ConsoleOptions) {}

  /** The addresses, when the servers on demand that are needed answer. Starting takes seconds. */
  async urls(components: readonly Component[]): Promise<Urls> {
    this.stack ??= this.start().catch((error: unknown) => {
      this.stack = undefined; // the next schedule tries again
      throw error;
    });
    const stack = await this.stack;
    if (components.length === 0) return stack.urls;
    await ensureInstalled(() => undefined, components);
    return stack.provide(components);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    const stack = await this.stack?.catch(() => undefined);
    await stack?.stop();
    rmSync(this.options.scheduleFolder, { recursive: true, force: true });
  }

  private async start(): Promise<Stack> {
    await ensureInstalled(() => undefined, []);
    return startProcesses({
      dir: this.options.scheduleFolder,
      replicas: { order: 0, inventory: 0 },
      lab: true,
      durability: 'relaxed',
      signal: this.stopping.signal,
    });
  }
}
