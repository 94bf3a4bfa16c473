import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { give } from './os-account';
import type { Claim } from './claim';
import type { Layout } from './layout';
import { demand, NEEDED } from './programs';
import { answersAt, type StartedRedis } from './redis';
import { type ServerDefinition, startOnFreePorts } from './server';

/** What a Sentinel watches. All times are milliseconds. */
export interface Watch {
  /** The primary, as `redis://host:port`; Sentinels call it `lab`. */
  readonly url: string;
  /** Number of Sentinels that must consider the primary down. */
  readonly quorum: number;
  /** A server without an answer for this time is considered down. */
  readonly downAfterMs: number;
  /** A failed failover is retried after twice this time. */
  readonly failoverMs: number;
}

/** Starts a Sentinel. It discovers the replicas and the other Sentinels through the primary within some seconds. */
export async function startSentinel(
  layout: Layout,
  claim: Claim,
  name: `sentinel-${number}`,
  watch: Watch,
): Promise<StartedRedis> {
  const program = demand(NEEDED.redis).path;
  const data = layout.dataFolder(name);
  const config = join(data, 'sentinel.conf');
  const { server, ports } = await startOnFreePorts(
    [undefined],
    ([port = 0]): ServerDefinition => {
      writeFileSync(config, configuration(port, data, watch));
      give(config, layout.account);
      return {
        name,
        ports: [port],
        command: {
          name,
          program,
          args: [config, '--sentinel'],
          cwd: data,
          log: layout.log(name),
          account: layout.account,
        },
        answers: answersAt(port),
      };
    },
    claim,
  );
  return { server, url: `redis://127.0.0.1:${ports[0] ?? 0}` };
}

/** The initial content of the file; the Sentinel rewrites it with the servers that it discovers. */
function configuration(port: number, data: string, watch: Watch): string {
  const { url, quorum, downAfterMs, failoverMs } = watch;
  const primary = new URL(url);
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${data}`,
    `sentinel monitor lab ${primary.hostname} ${primary.port} ${quorum}`,
    `sentinel down-after-milliseconds lab ${downAfterMs}`,
    `sentinel failover-timeout lab ${failoverMs}`,
    'sentinel parallel-syncs lab 10',
    '',
  ].join('\n');
}
