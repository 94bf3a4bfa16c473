import { WorkerPool } from '#lab/explore';
import { componentsOf, type Protection } from '#lab/strategy';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { ScheduleServers } from '../steps/schedule-servers';

const WORKERS = 2;
/** An idle pool holds about 100 MB. */
const IDLE_MS = 60_000;

/** Worker threads for one exploration at a time, opened with the first one and closed when idle. */
@Injectable()
export class Explorer implements BeforeApplicationShutdown {
  private open: { readonly pool: WorkerPool; readonly needs: string } | undefined;
  private closing: NodeJS.Timeout | undefined;

  constructor(private readonly servers: ScheduleServers) {}

  /** Hands the pool to `body`. Not for two bodies at once: jobs run one after the other. */
  async use<T>(strategy: Pick<Protection, 'needs'>, body: (pool: WorkerPool) => Promise<T>): Promise<T> {
    clearTimeout(this.closing);
    const components = componentsOf([strategy]);
    const needs = components.join(' ');
    try {
      if (this.open?.needs !== needs) {
        await this.close();
        const urls = await this.servers.urls(components);
        this.open = { pool: await WorkerPool.open(urls, WORKERS, `console_${process.pid}`), needs };
      }
      return await body(this.open.pool);
    } catch (error) {
      await this.close(); // a worker may have died
      throw error;
    } finally {
      this.closing = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.closing);
    await this.close();
  }

  private async close(): Promise<void> {
    const { open } = this;
    this.open = undefined;
    await open?.pool.close().catch(() => undefined);
  }
}
