import { join } from 'node:path';
import type { Claim } from './claim';
import type { Layout } from './layout';
import { projectRoot } from './paths';
import { get } from './poll';
import { type Server, type ServerDefinition, startOnFreePorts } from './server';

/** Starts the message gateway on loopback: a process of its own, as a provider's would be. */
export async function startGateway(layout: Layout, claim: Claim): Promise<{ server: Server; url: string }> {
  const { server, ports } = await startOnFreePorts(
    [undefined],
    ([port = 0]): ServerDefinition => ({
      name: 'gateway',
      ports: [port],
      command: {
        name: 'gateway',
        program: process.execPath,
        args: [join(projectRoot(), 'dist', 'apps', 'gateway', 'src', 'main.js')],
        cwd: layout.dataFolder('gateway'),
        log: layout.log('gateway'),
        env: { PORT: String(port) },
      },
      answers: async (pid) => (await get(`${address(port)}/health`)) === JSON.stringify({ pid }),
    }),
    claim,
  );
  return { server, url: address(ports[0] ?? 0) };
}

const address = (port: number): string => `http://127.0.0.1:${port}`;
