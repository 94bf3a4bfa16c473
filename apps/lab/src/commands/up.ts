import { InvalidArgumentError, type Command } from 'commander';
import { readSettings } from '#lab/config';
import { ensureInstalled, startProcesses } from '#lab/stack';
import { COMPONENT_NAMES, COMPONENTS, type Component } from '#lab/step';
import { once } from 'node:events';
import { runCommand } from '../command';
import { EXIT, Failure } from '../failure';
import { upDir } from '../session';
import { whole } from './load';

/** Tried first, so that addresses stay the same from day to day. */
const PREFERRED_PORTS = { public: 8080, lab: 8081 };

interface UpOptions {
  readonly order: number;
  readonly inventory: number;
  readonly account: number;
  readonly lab: boolean;
  readonly with: readonly Component[];
}

/** Reads `redlock,zookeeper`, or refuses. */
export function readComponents(text: string): readonly Component[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(name in COMPONENTS));
  if (unknown === undefined) return [...new Set(names as Component[])];
  throw new InvalidArgumentError(
    `There is no "${unknown}". Choose from: ${COMPONENT_NAMES.join(', ')}, separated by commas.`,
  );
}

export function register(program: Command): void {
  program
    .command('up')
    .description('start the lab and keep it up until Ctrl-C')
    .option('--order <n>', 'order replicas', whole(1, 16), 2)
    .option('--inventory <n>', 'inventory replicas', whole(1, 16), 2)
    .option('--account <n>', 'account replicas', whole(0, 16), 2)
    .option('--no-lab', 'without faults, reset and history')
    .option(
      '--with <components>',
      `also start ${COMPONENT_NAMES.map((name) => `${name} (${COMPONENTS[name]})`).join(', ')}; several: redlock,etcd`,
      readComponents,
      [],
    )
    .action(({ order, inventory, account, lab, with: components }: UpOptions) =>
      runCommand(async ({ progress, signal, onEnd }) => {
        const say = (line: string): void => {
          progress.say(line);
        };
        const environment = settings();
        await ensureInstalled(say, components);
        const replicas = { order, inventory, account };
        const stack = await startProcesses({
          dir: upDir(),
          replicas,
          components,
          lab,
          environment,
          preferredPorts: PREFERRED_PORTS,
          signal,
          onProgress: say,
        });
        onEnd(() => stack.stop());
        process.stdout.write(welcome(stack.urls.public, stack.urls.lab));
        await once(signal, 'abort');
        return 0;
      }),
    );
}

function settings(): Record<string, string> {
  try {
    return readSettings();
  } catch (error) {
    throw new Failure((error as Error).message.replace(/\s*\n\s*/g, ' '), EXIT.usage);
  }
}

function welcome(publicUrl: string, labUrl: string | undefined): string {
  const order = `-H 'content-type: application/json' -d '{"sku":"phone","quantity":1,"buyer":"ann"}'`;
  return `
The lab is up: shop ${publicUrl} · OpenAPI ${publicUrl}/docs${labUrl === undefined ? '' : ` · lab ${labUrl} (faults, reset, history)`}

Try:
  curl -s '${publicUrl}/orders?strategy=none' ${order}
  curl -s '${publicUrl}/products/phone/movements'
  curl -s '${publicUrl}/accounts/cafe/entries?strategy=none' -H 'content-type: application/json' -d '{"amountMinor":1250}'
${labUrl === undefined ? '' : `  curl -s '${labUrl}/orders?strategy=setnx' -H 'x-fault: after(SETNX)=kill' ${order}\n`}
In another terminal:  npx lab load --strategy none
Ctrl-C stops everything.
`;
}
