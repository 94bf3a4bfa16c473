import type { Stack } from '#lab/stack';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import { endpointsOf, type Endpoint, type OpenApi } from './document';
import type { Addresses } from './request';
import type { Subject } from './run';
import { Observer } from './state';

/** Where a lab and its servers are. */
export interface LabUnderFuzz {
  readonly addresses: Addresses;
  readonly mysqlUrl: string;
  readonly redisUrl: string;
  /** Where the apps keep locks that are directories; absent: those are not looked at. */
  readonly lockDir?: string;
  /** Which processes run; absent: that cannot be seen. */
  readonly lives?: () => Promise<string>;
}

/** A stack of this machine: its addresses, servers and processes, for a look past the apps. */
export const labOf = (stack: Stack): LabUnderFuzz => {
  const { urls, historyDir } = stack;
  return {
    addresses: {
      public: urls.public,
      internal: urls.inventory,
      ...(urls.lab !== undefined && { lab: urls.lab }),
    },
    mysqlUrl: urls.mysql,
    redisUrl: urls.redis,
    lockDir: join(dirname(historyDir), 'locks'),
    lives: async () =>
      (await stack.replicas()).map(({ name, pid, starts }) => `${name} ${pid} ${starts}`).join(', '),
  };
};

/** The apps whose documents nginx has, at `/docs/NAME.json`. */
const APPS = ['order', 'inventory', 'account'] as const;
const INTERNAL_APP = 'inventory';

/** Reads the apps' documents and opens the servers. */
export async function openSubject(
  lab: LabUnderFuzz,
): Promise<{ subject: Subject; close: () => Promise<void> }> {
  const { addresses, mysqlUrl, redisUrl, lockDir, lives } = lab;
  const endpoints = await Promise.all(APPS.map((app) => readEndpoints(addresses.lab ?? '', app)));
  const observer = await Observer.open(mysqlUrl, redisUrl, lockDir);
  return {
    subject: {
      addresses,
      endpoints: withoutTwins(endpoints.flat()),
      internalApp: INTERNAL_APP,
      look: () => observer.look(),
      unbalanced: () => observer.unbalanced(),
      lives: lives ?? (() => Promise.resolve(undefined)),
    },
    close: () => observer.close(),
  };
}

async function readEndpoints(url: string, app: string): Promise<Endpoint[]> {
  const { statusCode, body } = await request(`${url}/docs/${app}.json`);
  if (statusCode !== 200)
    throw new Error(`${url}/docs/${app}.json answers ${statusCode}: ${await body.text()}`);
  return endpointsOf(app, (await body.json()) as OpenApi);
}

/** Every app has /health, but one address leads to one of them. */
function withoutTwins(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter(({ name }, i) => endpoints.findIndex((other) => other.name === name) === i);
}
