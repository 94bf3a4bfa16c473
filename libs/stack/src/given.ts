import { missingVariable } from './addresses';
import { componentConditions } from './components';
import { StackError } from './errors';
import { mysqlConditions } from './mysql';
import { get, pollUntil } from './poll';
import { machine } from './process-stack';
import { redisConditions } from './redis';
import type { Stack, Urls } from './types';

const READY_MS = 30_000;

export interface GivenAddresses extends Urls {
  /** The folder of the replicas' history, if this machine has access to it. */
  readonly historyDir: string;
}

/** Servers that this process did not start. They can be used and inspected, but not faulted, scaled or stopped. */
export function given({ historyDir, ...urls }: GivenAddresses): Stack {
  const refuse =
    (what: string) =>
    (name: string): Promise<never> =>
      Promise.reject(
        new StackError(
          'STACK.CANNOT_BE_FAULTED',
          `${name} cannot be ${what}, because the lab did not start it (given addresses: ${shown(urls)}). ` +
            'Unset the addresses, so that the lab starts its own servers.',
        ),
      );
  return {
    urls,
    historyDir,
    replicas: () => Promise.resolve([]),
    provide: (components) => {
      const missing = components.flatMap((component) => missingVariable(urls.servers, component) ?? []);
      if (missing.length === 0) return Promise.resolve(urls);
      const text = `${missing.join(', ')} is not set. Set it here and for the replicas, or unset the other addresses.`;
      return Promise.reject(new StackError('STACK.COMPONENT_MISSING', text));
    },
    scale: refuse('scaled'),
    kill: refuse('killed'),
    pause: refuse('paused'),
    resume: refuse('resumed'),
    cut: refuse('cut off'),
    swallow: refuse('cut off'),
    mend: refuse('mended'),
    reload: () => refuse('reloaded')('nginx'),
    restart: refuse('restarted'),
    ready: async () => {
      const url = `${urls.public}/health/ready`;
      if (await pollUntil(async () => (await get(url)) !== undefined, { timeoutMs: READY_MS, everyMs: 100 }))
        return;
      throw new StackError(
        'STACK.NOT_READY',
        `GET ${url} did not answer 200 within ${READY_MS / 1000} s. Check the given address.`,
      );
    },
    conditions: async () => ({
      backEnd: 'given',
      ...(await redisConditions(urls.redis)),
      ...(await mysqlConditions(urls.mysql)),
      ...(await componentConditions(urls.servers)),
      ...machine(),
    }),
    stop: () => Promise.resolve(),
  };
}

/** Hosts and ports, without passwords. */
const shown = ({ servers: { voters = [], ...servers }, ...urls }: Urls): string =>
  [...Object.values(urls as Readonly<Record<string, string>>), ...voters, ...Object.values(servers)]
    .filter((url) => url !== '')
    .map(
      (url) =>
        url
          .replace(/\w+:\/\//g, '')
          .replace(/^[^/]*@/, '')
          .split('/')[0],
    )
    .join(', ');
