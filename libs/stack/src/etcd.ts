import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import type { Claim } from './claim';
import type { Layout } from './layout';
import { infra } from './paths';
import { get } from './poll';
import { demand, ON_DEMAND } from './programs';
import { type Recipe, type Server, startOnFreePorts } from './server';
import type { Conditions, Durability } from './types';

/** One etcd on loopback, with a data folder of its own. */
export async function startEtcd(
  layout: Layout,
  durability: Durability,
  claim: Claim,
): Promise<{ server: Server; url: string }> {
  const program = demand(ON_DEMAND.etcd).path;
  const folder = layout.dataFolder('etcd');
  const member = `lab-${randomBytes(4).toString('hex')}`;
  const { server, ports } = await startOnFreePorts(
    [undefined, undefined],
    ([client = 0, peer = 0]): Recipe => ({
      name: 'etcd',
      ports: [client, peer],
      command: {
        name: 'etcd',
        program,
        args: [
          `--name=${member}`,
          `--data-dir=${layout.dataFolder('etcd', String(peer))}`, // it remembers its ports
          `--listen-client-urls=${address(client)}`,
          `--advertise-client-urls=${address(client)}`,
          `--listen-peer-urls=${address(peer)}`,
          `--initial-advertise-peer-urls=${address(peer)}`,
          `--initial-cluster=${member}=${address(peer)}`,
          ...(durability === 'full' ? [] : ['--unsafe-no-fsync']),
        ],
        env: settings(),
        cwd: folder,
        log: layout.log('etcd'),
        account: layout.account,
      },
      answers: async () => (await isHealthy(client)) && (await memberAt(client)) === member,
    }),
    claim,
  );
  return { server, url: address(ports[0] ?? 0) };
}

/** Version of an etcd. */
export async function etcdConditions(url: string): Promise<Conditions> {
  const { etcdserver = 'unknown' } = JSON.parse((await get(new URL('/version', url).href)) ?? '{}') as {
    etcdserver?: string;
  };
  return { etcd: etcdserver };
}

const address = (port: number): string => `http://127.0.0.1:${port}`;

/** The lines of infra/etcd/etcd.env. */
const settings = (): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(infra('etcd', 'etcd.env'), 'utf8').matchAll(/^(ETCD_\w+)=(.*)$/gm)].map(
      ([, key = '', value = '']) => [key, value],
    ),
  );

const isHealthy = async (port: number): Promise<boolean> =>
  (await get(`${address(port)}/health`))?.includes('"health":"true"') === true;

/** The name of the member that answers here. */
async function memberAt(port: number): Promise<string | undefined> {
  try {
    const { body } = await request(`${address(port)}/v3/cluster/member/list`, {
      method: 'POST',
      body: '{}',
      signal: AbortSignal.timeout(1000),
      reset: true,
    });
    const { members } = (await body.json()) as { members?: { name?: string }[] };
    return members?.[0]?.name;
  } catch {
    return undefined;
  }
}
