import type { Stack } from '#lab/stack';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import { endpointsOf, type Endpoint, type OpenApi } from './document';
import type { Addresses } from './request';
import type { Subject } from './run';
import { Observer } from './state';

/** Addresses of a lab and of its servers. */
export interface LabUnderFuzz {
  readonly addresses: Addresses;
  readonly mysqlUrl: string;
  readonly redisUrl: string;
  /** Parent of the apps' lock directories; absent: they are not observed. */
  readonly lockDir?: string;
  /** The running processes as text; absent: not observable. */
  readonly lives?: () => Promise<string>;
}

/** Addresses, servers and processes of a local stack. */
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

/** The apps whose documents nginx serves at `/docs/NAME.json`. */
const APPS = ['order', 'inventory', 'account'] as const;
const INTERNAL_APP = 'inventory';

/** Reads the apps' documents and connects to the servers. */
export async function openSubject(
  lab: LabUnderFuzz,
): Promise<{ subject: Subject; close: () => Promise<void> }> {
  const { addresses, mysqlUrl, redisUrl, lockDir, lives } = lab;
  const endpoints = await Promise.all(APPS.map((app) => readEndpoints(addresses.lab ?? '', app)));
  const observer = await Observer.open(mysqlUrl, redisUrl, lockDir);
  return {
    subject: {
      addresses,
      endpoints: withoutDuplicates(endpoints.flat()),
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
    throw new Error(`cannot read ${url}/docs/${app}.json: ${statusCode} ${await body.text()}`);
  return endpointsOf(app, (await body.json()) as OpenApi);
}

/** Every app documents /health, but an address serves only one of them. */
function withoutDuplicates(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter(({ name }, i) => endpoints.findIndex((other) => other.name === name) === i);
}
