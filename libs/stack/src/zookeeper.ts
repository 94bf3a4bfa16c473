import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { give } from './account';
import type { Claim } from './claim';
import type { Layout } from './layout';
import { infra } from './paths';
import { demand, ON_DEMAND } from './programs';
import { type Recipe, type Server, startOnFreePorts } from './server';
import type { Conditions, Durability } from './types';

/** A small heap, and a virtual machine that starts fast rather than runs long. */
const JAVA = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];
const MAIN = 'org.apache.zookeeper.server.ZooKeeperServerMain';

/** One ZooKeeper on loopback, with a data folder of its own. */
export async function startZookeeper(
  layout: Layout,
  durability: Durability,
  claim: Claim,
): Promise<{ server: Server; url: string }> {
  const { path, file = '' } = demand(ON_DEMAND.zookeeper);
  const folder = layout.dataFolder('zookeeper');
  const data = layout.dataFolder('zookeeper', 'data');
  const config = join(folder, 'zoo.cfg');
  const { server, ports } = await startOnFreePorts(
    [undefined],
    ([port = 0]): Recipe => {
      const settings = { dataDir: data, clientPort: port, clientPortAddress: '127.0.0.1' };
      const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
      writeFileSync(config, `${readFileSync(infra('zookeeper', 'zoo.cfg'), 'utf8')}\n${lines.join('')}`);
      give(config, layout.account);
      return {
        name: 'zookeeper',
        ports: [port],
        command: {
          name: 'zookeeper',
          program: path,
          args: [
            ...JAVA,
            `-Dzookeeper.forceSync=${durability === 'full' ? 'yes' : 'no'}`,
            '-Dorg.slf4j.simpleLogger.showDateTime=true',
            '-cp',
            classPath(file),
            MAIN,
            config,
          ],
          cwd: folder,
          log: layout.log('zookeeper'),
          account: layout.account,
        },
        // The folder is this server's alone.
        answers: async () => (await ask(port, 'conf'))?.includes(data) === true,
      };
    },
    claim,
  );
  return { server, url: `127.0.0.1:${ports[0] ?? 0}` };
}

/** Version of a ZooKeeper; of one that does not allow the question it is `unknown`. */
export async function zookeeperConditions(url: string): Promise<Conditions> {
  const { hostname, port } = new URL(`tcp://${url}`);
  const answer = await ask(Number(port), 'srvr', hostname);
  return { zookeeper: /version: (\d+\.\d+\.\d+)/.exec(answer ?? '')?.[1] ?? 'unknown' };
}

/** One jar that names all others (Debian), or a folder of jars (Homebrew); a log of some kind. */
const classPath = (file: string): string =>
  statSync(file).isDirectory() ? join(file, '*') : `${file}:${join(dirname(file), 'slf4j-simple.jar')}`;

const ANSWER_MS = 1000;

/** The answer to a four-letter word; undefined when there is none within a second. */
function ask(port: number, word: string, host = '127.0.0.1'): Promise<string | undefined> {
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
