import type { Command } from 'commander';
import { readSettings } from '#lab/config';
import { ensureInstalled, isFree, startProcesses, type Urls } from '#lab/stack';
import { COMPONENT_NAMES, COMPONENTS, type Component } from '#lab/step';
import { once } from 'node:events';
import { runCommand } from '../command';
import { startConsole, type ConsoleAddress } from '../console';
import { EXIT, Failure } from '../failure';
import { prune } from '../housekeeping';
import { addStrategies, strategyFileOption } from '../own-file';
import { strategyEnvironment, upDir } from '../session';
import { namesOf } from './names';
import { whole } from './numbers';

/** Tried first, so that URLs stay the same between starts. The lab uses the next port. */
const PREFERRED_PORT = 8080;

interface UpOptions {
  readonly order: number;
  readonly inventory: number;
  readonly account: number;
  readonly lab: boolean;
  readonly console: boolean;
  readonly class?: true;
  readonly port?: number;
  readonly with?: readonly Component[];
  readonly withStrategy?: readonly string[];
}

/** Parses a list of servers on demand, such as `redlock,zookeeper`. */
export function readComponents(text: string): readonly Component[] {
  const names = text.split(',').map((name) => name.trim());
  const sentence = (unknown: string): string =>
    `There is no "${unknown}". Choose from: ${COMPONENT_NAMES.join(', ')}, separated by commas.`;
  return [...new Set(namesOf(COMPONENTS, names, sentence))];
}

export function register(program: Command): void {
  const command = program
    .command('up')
    .description('start the lab and keep it running until Ctrl-C')
    .option('--order <n>', 'replicas of the order app', whole(1, 16), 2)
    .option('--inventory <n>', 'replicas of the inventory app', whole(1, 16), 2)
    .option('--account <n>', 'replicas of the account app', whole(0, 16), 2)
    .option('--no-lab', 'disable faults, reset and history, and with them the console')
    .option('--no-console', 'do not start the console, the page in the browser')
    .option('--class', 'other machines may join the console with a code; it then listens on all interfaces')
    .option(
      '--port <n>',
      `port of the shop; lab and console use the next two (${PREFERRED_PORT}, or free ports)`,
      whole(1024, 65_534),
    )
    .option(
      '--with <components>',
      `also start ${COMPONENT_NAMES.map((name) => `${name} (${COMPONENTS[name]})`).join(', ')}; separate several with commas`,
      readComponents,
    );
  strategyFileOption(command).action(
    ({
      order,
      inventory,
      account,
      lab,
      port,
      with: components = [],
      withStrategy = [],
      ...options
    }: UpOptions) =>
      runCommand(async ({ progress, signal, onEnd }) => {
        const hasConsole = options.console && lab;
        const isClass = options.class === true;
        if (isClass && !hasConsole)
          throw new Failure('--class needs the console: omit --no-console and --no-lab', EXIT.usage);
        const say = (line: string): void => {
          progress.say(line);
        };
        const strategyFiles = addStrategies(withStrategy);
        const environment = { ...settings(), ...strategyEnvironment(strategyFiles) };
        const preferred = { public: port ?? PREFERRED_PORT, lab: (port ?? PREFERRED_PORT) + 1 };
        if (port !== undefined)
          await assertFree(lab ? [preferred.public, preferred.lab] : [preferred.public]);
        await ensureInstalled(say, components);
        const replicas = { order, inventory, account };
        const stack = await startProcesses({
          dir: upDir(),
          replicas,
          components,
          lab,
          environment,
          preferredPorts: preferred,
          signal,
          onProgress: say,
        });
        onEnd(() => stack.stop());
        const moved = movedFrom(preferred, stack.urls);
        if (port !== undefined && moved.length > 0) throw portTaken(moved[0]?.port ?? port);
        await prune(say);
        const page = hasConsole
          ? await startConsole({ dir: upDir(), port: preferred.lab + 1, isClass, signal, onCrash: say })
          : undefined;
        if (page !== undefined) onEnd(page.stop);
        signal.throwIfAborted();
        process.stdout.write(welcome(stack.urls, moved, page));
        for (const name of strategyFiles.keys()) say(`Your own strategy: ?strategy=${name}`);
        if (!lab && options.console)
          say('There is no console: it resets balances and reads history, which --no-lab disables.');
        await once(signal, 'abort');
        return 0;
      }),
  );
}

/** A URL that does not have the preferred port. */
interface Moved {
  readonly name: 'shop' | 'lab';
  readonly port: number;
  readonly url: string;
}

function movedFrom(preferred: { public: number; lab: number }, urls: Pick<Urls, 'public' | 'lab'>): Moved[] {
  const all = [
    { name: 'shop' as const, port: preferred.public, url: urls.public },
    ...(urls.lab === undefined ? [] : [{ name: 'lab' as const, port: preferred.lab, url: urls.lab }]),
  ];
  return all.filter(({ port, url }) => new URL(url).port !== String(port));
}

async function assertFree(ports: readonly number[]): Promise<void> {
  for (const port of ports) if (!(await isFree(port))) throw portTaken(port);
}

const portTaken = (port: number): Failure =>
  new Failure(
    `port ${port} is taken by another program: stop that program, or choose another --port`,
    EXIT.usage,
  );

function settings(): Record<string, string> {
  try {
    return readSettings();
  } catch (error) {
    throw new Failure((error as Error).message, EXIT.usage);
  }
}

function welcome(
  { public: publicUrl, lab: labUrl }: Pick<Urls, 'public' | 'lab'>,
  moved: readonly Moved[],
  page: ConsoleAddress | undefined,
): string {
  const order = (url: string, more = ''): string[] => [
    `  curl -s '${url}' -H 'content-type: application/json' \\`,
    `    ${more}-d '{"sku":"phone","quantity":1,"buyer":"ann"}'`,
  ];
  return [
    '',
    ...moved.map(
      ({ name, port, url }) => `Port ${port} is taken by another program: the ${name} is at ${url} instead.`,
    ),
    ...(moved.length === 0
      ? []
      : ['"npx lab" finds these ports by itself; in curl commands of the README, replace the port.', '']),
    `The lab is running: shop ${publicUrl}`,
    ...(page === undefined ? [] : [`In a browser, runs and schedules: console ${page.url}`]),
    ...(page?.join === undefined
      ? []
      : [
          `A class joins at ${page.join.urls.join(' or ')} with the code ${page.join.code}`,
          `The teacher joins with the code ${page.join.teacherCode}`,
        ]),
    `OpenAPI ${publicUrl}/docs`,
    ...(labUrl === undefined ? [] : [`Faults, reset and history: lab ${labUrl}`]),
    '',
    'Try:',
    ...order(`${publicUrl}/orders?strategy=none`),
    `  curl -s '${publicUrl}/products/phone/movements'`,
    `  curl -s '${publicUrl}/accounts/cafe/entries?strategy=none' \\`,
    `    -H 'content-type: application/json' -d '{"amountMinor":1250}'`,
    ...(labUrl === undefined
      ? []
      : order(`${labUrl}/orders?strategy=setnx`, `-H 'x-fault: after(SETNX)=kill' `)),
    'In another terminal:',
    '  npx lab load --strategy none',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}
