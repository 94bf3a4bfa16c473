import type { Claim } from './claim';
import { StackError } from './errors';
import type { Layout } from './layout';
import { PROCESS_MS, pollUntil } from './poll';
import { acknowledgedBy, info, startRedis, type StartedRedis, withRedis } from './redis';
import type { Server } from './server';

const REPLICAS = 2;
const ACKNOWLEDGE_MS = 100;

/** A Redis primary with two replicas. */
export class ReplicatedRedis {
  private constructor(
    private readonly primary: StartedRedis,
    private readonly replicas: readonly StartedRedis[],
  ) {}

  /** Resolves when both replicas are connected and have all data. @throws StackError STACK.START_FAILED */
  static async start(layout: Layout, claim: Claim): Promise<ReplicatedRedis> {
    const primary = await startRedis(layout, claim, 'primary');
    const { hostname, port } = new URL(primary.url);
    const following = ['--replicaof', hostname, port];
    const names = Array.from({ length: REPLICAS }, (_, i) => `replica-${i + 1}` as const);
    const replicas = await Promise.all(names.map((name) => startRedis(layout, claim, name, following)));
    const replicated = new ReplicatedRedis(primary, replicas);
    await replicated.inSync();
    return replicated;
  }

  get url(): string {
    return this.primary.url;
  }

  /** In the order in which they are stopped: a primary waits for its replicas at its exit. */
  get servers(): readonly Server[] {
    return [...this.replicas, this.primary].map(({ server }) => server);
  }

  /**
   * Resolves when every running replica that was not promoted has all data of the primary; at once when the primary does
   * not run. @throws StackError STACK.START_FAILED
   */
  async inSync(): Promise<void> {
    if (await pollUntil(() => this.isInSync(), { timeoutMs: PROCESS_MS })) return;
    throw new StackError(
      'STACK.START_FAILED',
      `The replicas of ${this.primary.url} were not in sync after ${PROCESS_MS / 1000} s. See ${this.primary.server.log}`,
    );
  }

  private async isInSync(): Promise<boolean> {
    if (!this.primary.server.isRunning) return true;
    const running = this.replicas.filter(({ server }) => server.isRunning);
    const states = await Promise.all(running.map(({ url }) => info(url, 'replication')));
    const following = states.filter((state) => state?.['role'] === 'slave');
    if (following.some((state) => state?.['master_link_status'] !== 'up')) return false;
    return (await acknowledged(this.primary.url, following.length)) >= following.length;
  }
}

async function acknowledged(url: string, replicas: number): Promise<number> {
  try {
    return await withRedis(url, (redis) => acknowledgedBy(redis, replicas, ACKNOWLEDGE_MS));
  } catch {
    return 0;
  }
}
