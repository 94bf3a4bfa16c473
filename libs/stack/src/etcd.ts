import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import type { Claim } from './claim';
import type { Layout } from './layout';
import { infra } from './paths';
import { get } from './poll';
import { demand, ON_DEMAND } from './programs';
import { type ServerDefinition, type Server, startTogether } from './server';
import type { Conditions, Durability, ServerName } from './types';

/** Starts an etcd of one member on loopback, with a private data folder. */
export async function startEtcd(
  layout: Layout,
  durability: Durability,
  claim: Claim,
): Promise<{ server: Server; url: string }> {
  const { servers, urls } = await startMembers(layout, durability, claim, ['etcd'], {});
  const [server, url] = [servers[0], urls[0]];
  if (server === undefined || url === undefined) throw new Error('one name must yield one member');
  return { server, url };
}

/** Milliseconds; etcd's defaults, long enough for a busy machine. */
const CLUSTER = { ETCD_HEARTBEAT_INTERVAL: '100', ETCD_ELECTION_TIMEOUT: '1000' };

/** Starts a cluster of `count` members on loopback. Resolves when all of them answer. */
export async function startEtcds(
  layout: Layout,
  durability: Durability,
  claim: Claim,
  count: number,
): Promise<readonly { server: Server; url: string }[]> {
  const names = Array.from({ length: count }, (_, i) => `etcd-${i + 1}` as const);
  const { servers, urls } = await startMembers(layout, durability, claim, names, CLUSTER);
  return servers.map((server, i) => ({ server, url: urls[i] ?? '' }));
}

async function startMembers(
  layout: Layout,
  durability: Durability,
  claim: Claim,
  names: readonly ServerName[],
  environment: Readonly<Record<string, string>>,
): Promise<{ servers: readonly Server[]; urls: readonly string[] }> {
  const program = demand(ON_DEMAND.etcd).path;
  const cluster = `lab-${randomBytes(4).toString('hex')}`;
  const memberNames = names.map((name) => `${cluster}-${name}`);
  const portsOf = (ports: readonly number[], i: number): readonly number[] => ports.slice(2 * i, 2 * i + 2);
  const { servers, ports } = await startTogether(
    names.flatMap(() => [undefined, undefined]),
    (chosen) => {
      const peers = memberNames.map((member, i) => `${member}=${address(portsOf(chosen, i)[1] ?? 0)}`);
      return names.map((name, i): ServerDefinition => {
        const [client = 0, peer = 0] = portsOf(chosen, i);
        const member = memberNames[i] ?? '';
        return {
          name,
          ports: [client, peer],
          command: {
            name,
            program,
            args: [
              `--name=${member}`,
              `--data-dir=${layout.dataFolder(name, String(peer))}`, // etcd stores its ports there
              `--listen-client-urls=${address(client)}`,
              `--advertise-client-urls=${address(client)}`,
              `--listen-peer-urls=${address(peer)}`,
              `--initial-advertise-peer-urls=${address(peer)}`,
              `--initial-cluster=${peers.join(',')}`,
              `--initial-cluster-token=${cluster}`,
              ...(durability === 'full' ? [] : ['--unsafe-no-fsync']),
            ],
            env: { ...settings(), ...environment },
            cwd: layout.dataFolder(name),
            log: layout.log(name),
            account: layout.account,
          },
          answers: async () => (await isHealthy(client)) && (await hasMember(client, member)),
        };
      });
    },
    claim,
  );
  return { servers, urls: names.map((_, i) => address(portsOf(ports, i)[0] ?? 0)) };
}

/** Version of an etcd. */
export async function etcdConditions(urls: string): Promise<Conditions> {
  const version = new URL('/version', urls.split(',')[0]).href;
  const { etcdserver = 'unknown' } = JSON.parse((await get(version)) ?? '{}') as {
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

/** Whether the member on this port is in a cluster that has a member of this name. */
async function hasMember(port: number, name: string): Promise<boolean> {
  const { members = [] } = (await askEtcd(address(port), 'cluster/member/list')) as {
    members?: { name?: string }[];
  };
  return members.some((member) => member.name === name);
}

/** The response of the etcd at this address to a request without arguments; `{}` when there is none within a second. */
export async function askEtcd(url: string, path: string): Promise<object> {
  try {
    const { body } = await request(new URL(`/v3/${path}`, url), {
      method: 'POST',
      body: '{}',
      signal: AbortSignal.timeout(1000),
      reset: true,
    });
    return (await body.json()) as object;
  } catch {
    return {};
  }
}
