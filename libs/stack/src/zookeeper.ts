import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { give } from './os-account';
import type { Claim } from './claim';
import type { Layout } from './layout';
import { infra } from './paths';
import { demand, ON_DEMAND } from './programs';
import { type ServerDefinition, type Server, startOnFreePorts, startTogether } from './server';
import type { Conditions, Durability, ServerName } from './types';

/** Options for a fast start of the virtual machine instead of long-run performance. */
const JAVA = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];
const HEAP = { alone: '-Xmx128m', member: '-Xmx64m' };
const MAIN = 'org.apache.zookeeper.server.ZooKeeperServerMain';
/** Main class of an ensemble's member, which takes part in elections. */
const MAIN_OF_MEMBER = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';

/** Starts a standalone ZooKeeper on loopback, with a private data folder. */
export async function startZookeeper(
  layout: Layout,
  durability: Durability,
  claim: Claim,
): Promise<{ server: Server; url: string }> {
  const start = program(layout, durability, HEAP.alone);
  const { server, ports } = await startOnFreePorts(
    [undefined],
    (chosen) => start('zookeeper', MAIN, chosen, {}),
    claim,
  );
  return { server, url: `127.0.0.1:${ports[0] ?? 0}` };
}

/**
 * In ticks of zoo.cfg: the time a member may take to join, and the time it may be silent. In 3.8.0 a follower that lacks a
 * change when the leader dies may acknowledge in the wrong order (ZOOKEEPER-4685): then there is no leader for `initLimit`,
 * and another election follows.
 */
const ENSEMBLE = { initLimit: 10, syncLimit: 5, '4lw.commands.whitelist': 'ruok,srvr,mntr,conf,cons' };
/** For clients, for the other members, for elections. */
const PORTS_OF_MEMBER = 3;

/** Starts an ensemble of `count` members on loopback. Resolves when all of them answer. */
export async function startZookeepers(
  layout: Layout,
  durability: Durability,
  claim: Claim,
  count: number,
): Promise<readonly { server: Server; url: string }[]> {
  const start = program(layout, durability, HEAP.member);
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const portsOf = (ports: readonly number[], n: number): readonly number[] =>
    ports.slice(PORTS_OF_MEMBER * (n - 1), PORTS_OF_MEMBER * n);
  const { servers, ports } = await startTogether(
    numbers.flatMap(() => Array.from({ length: PORTS_OF_MEMBER }, () => undefined)),
    (chosen) => {
      const members = numbers.map((n) => {
        const [, peer = 0, election = 0] = portsOf(chosen, n);
        return [`server.${n}`, `127.0.0.1:${peer}:${election}`] as const;
      });
      return numbers.map((n) => {
        const name = `zookeeper-${n}` as const;
        writeFileSync(join(layout.dataFolder(name, 'data'), 'myid'), `${n}\n`);
        const settings = { ...ENSEMBLE, ...Object.fromEntries(members) };
        return start(name, MAIN_OF_MEMBER, portsOf(chosen, n), settings);
      });
    },
    claim,
  );
  return servers.map((server, i) => ({ server, url: `127.0.0.1:${portsOf(ports, i + 1)[0] ?? 0}` }));
}

/** A function that writes a ZooKeeper's configuration and defines its server. */
function program(
  layout: Layout,
  durability: Durability,
  heap: string,
): (
  name: ServerName,
  main: string,
  ports: readonly number[],
  more: Readonly<Record<string, unknown>>,
) => ServerDefinition {
  const { path, file = '' } = demand(ON_DEMAND.zookeeper);
  return (name, main, ports, more) => {
    const [port = 0] = ports;
    const folder = layout.dataFolder(name);
    const data = layout.dataFolder(name, 'data');
    const config = join(folder, 'zoo.cfg');
    const settings = { dataDir: data, clientPort: port, clientPortAddress: '127.0.0.1', ...more };
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${String(value)}\n`);
    writeFileSync(config, `${readFileSync(infra('zookeeper', 'zoo.cfg'), 'utf8')}\n${lines.join('')}`);
    give(config, layout.account);
    return {
      name,
      ports,
      command: {
        name,
        program: path,
        args: [
          heap,
          ...JAVA,
          `-Dzookeeper.forceSync=${durability === 'full' ? 'yes' : 'no'}`,
          '-Dorg.slf4j.simpleLogger.showDateTime=true',
          '-cp',
          classPath(file),
          main,
          config,
        ],
        cwd: folder,
        log: layout.log(name),
        account: layout.account,
      },
      // Only this server has this data folder. A member without a leader answers that it does not serve requests.
      answers: async () => (await fourLetters(port, 'conf'))?.includes(data) === true,
    };
  };
}

/** Version of a ZooKeeper; `unknown` when it does not allow `srvr`. */
export async function zookeeperConditions(urls: string): Promise<Conditions> {
  const answer = await askZookeeper(urls.split(',')[0] ?? '', 'srvr');
  return { zookeeper: /version: (\d+\.\d+\.\d+)/.exec(answer ?? '')?.[1] ?? 'unknown' };
}

/** The response of the ZooKeeper at `host:port` to a four-letter word; undefined when there is none within a second. */
export function askZookeeper(address: string, word: string): Promise<string | undefined> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return fourLetters(Number(port), word, hostname);
}

/** Either one jar that references all others (Debian), plus a logger, or a folder of jars (Homebrew). */
const classPath = (file: string): string =>
  statSync(file).isDirectory() ? join(file, '*') : `${file}:${join(dirname(file), 'slf4j-simple.jar')}`;

const ANSWER_MS = 1000;

function fourLetters(port: number, word: string, host = '127.0.0.1'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS }, () => socket.write(word));
    let answer = '';
    socket
      .setEncoding('utf8')
      .on('data', (text: string) => (answer += text))
      .once('end', () => {
        resolve(answer);
      })
      .once('timeout', () => socket.destroy())
      .on('error', () => undefined)
      .once('close', () => {
        resolve(undefined);
      });
  });
}
