import { ensureInstalled, startOwnServers, type OwnServers, type Urls } from '#lab/stack';
import type { Component } from '#lab/step';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ConsoleOptions } from '../console-options';

/**
 * Private servers that only run schedules, started with the first one, or with a class: the load of a run, and faults of its
 * servers, do not reach them.
 */
@Injectable()
export class ScheduleServers implements OnApplicationShutdown {
  private servers: Promise<OwnServers> | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: ConsoleOptions) {}

  /** The addresses, when the servers on demand that are needed answer. Starting takes seconds. */
  async urls(components: readonly Component[]): Promise<Urls> {
    this.servers ??= this.start().catch((error: unknown) => {
      this.servers = undefined; // the next schedule tries again
      throw error;
    });
    const stack = await (await this.servers).started;
    if (components.length === 0) return stack.urls;
    await ensureInstalled(() => undefined, components);
    return stack.provide(components);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    const servers = await this.servers?.catch(() => undefined);
    await servers?.stop();
  }

  /** Resolves when the servers answer; when they do not start, nothing is left of them. */
  private async start(): Promise<OwnServers> {
    await ensureInstalled(() => undefined, []);
    const servers = startOwnServers(this.options.scheduleFolder, { signal: this.stopping.signal });
    try {
      await servers.started;
      return servers;
    } catch (error) {
      await servers.stop();
      throw error;
    }
  }
}
