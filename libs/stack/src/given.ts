import { missingVariable } from './addresses';
import { componentConditions } from './components';
import { StackError } from './errors';
import { mysqlConditions } from './mysql';
import { get, until } from './poll';
import { machine } from './process-stack';
import { redisConditions } from './redis';
import type { Stack, Urls } from './types';

const READY_MS = 30_000;

export interface GivenAddresses extends Urls {
  /** Where the replicas write their history, if this machine can see it. */
  readonly historyDir: string;
}

/** Servers that somebody else runs. They can be used and asked, but not faulted, scaled or stopped. */
export function given({ historyDir, ...urls }: GivenAddresses): Stack {
  const refuse =
    (what: string) =>
    (name: string): Promise<never> =>
      Promise.reject(
        new StackError(
          'STACK.CANNOT_BE_FAULTED',
          `${name} cannot be ${what}: its address was given (${shown(urls)}), its process is not ours. ` +
            'Unset the addresses to let the lab start servers of its own.',
        ),
      );
  return {
    urls,
    historyDir,
    replicas: () => Promise.resolve([]),
    provide: (components) => {
      const missing = components.flatMap((component) => missingVariable(urls.servers, component) ?? []);
      if (missing.length === 0) return Promise.resolve(urls);
      const text = `${missing.join(', ')} was not given: set it, here and for the replicas, or unset the other addresses.`;
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
      if (await until(async () => (await get(url)) !== undefined, { timeoutMs: READY_MS, everyMs: 100 }))
        return;
      throw new StackError('STACK.NOT_READY', `GET ${url} does not answer 200: is the given address right?`);
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

/** Hosts and ports: no passwords. */
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
