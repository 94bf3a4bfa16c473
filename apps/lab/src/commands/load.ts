import { count, FaultSyntaxError, parseFaults } from '#lab/step';
import {
  componentsOf,
  DEFAULT_STRATEGY,
  findStrategy,
  NoCarts,
  UnknownStrategy,
  type Options,
} from '#lab/strategy';
import type { LoadVerdict } from '#lab/verdict';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { completePlan, runLoad, type FaultOn, type LoadPlan } from '#load-tests/run';
import { SCENARIOS } from '#load-tests/scenarios';
import { runCommand, writeJson } from '../command';
import { EXIT, Failure } from '../failure';
import { printRun } from '../print/verdict';
import { runJson, writeRunFolder } from '../run-folder';
import { findOrStartLab, type LabAddresses } from '../session';

interface LoadOptions extends LabAddresses {
  readonly strategy?: string;
  readonly scenario?: string;
  readonly stock?: number;
  readonly requests?: number;
  readonly connections?: number;
  readonly quantity?: number;
  readonly replicas?: number;
  readonly sku?: string;
  readonly carts?: readonly (readonly string[])[];
  readonly amount?: number;
  readonly workMs?: number;
  readonly leaseMs?: number;
  readonly waitMs?: number;
  readonly wait?: Options['wait'];
  readonly retryMs?: number;
  readonly attempts?: number;
  readonly fault?: string;
  readonly faultOn?: FaultOn;
  readonly reconcileOrders?: true;
  readonly json?: string;
}

/** Reads a whole number between two bounds, or refuses. */
export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

/** Reads an amount in minor units, or refuses. */
function readAmount(text: string): number {
  const amount = /^-?[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isNaN(amount)) return amount;
  throw new InvalidArgumentError('It must be a whole number other than 0, of at most nine digits.');
}

/** Reads a SKU, or refuses. */
export function readSku(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('A SKU has 1 to 64 letters, digits, ".", "_" or "-".');
}

export const waitOption = (): Option =>
  new Option('--wait <how>', 'how to wait for a lock (poll)').choices(['poll', 'notify']);

/** Reads carts of SKUs, each SKU once in a cart, or refuses. */
function readCarts(text: string): readonly (readonly string[])[] {
  return text.split('/').map((cart) => {
    const skus = cart.split(',').map(readSku);
    if (new Set(skus).size < skus.length) throw new InvalidArgumentError('A cart names each product once.');
    return skus;
  });
}

export const addressOptions = (command: Command): Command =>
  command
    .option('--lab-url <url>', 'lab address of a lab that runs elsewhere, e.g. docker compose')
    .option('--public-url <url>', 'buyers’ address of that lab');

export function register(program: Command): void {
  const command = program
    .command('load')
    .description('send a load through nginx, read the rows afterwards, print the verdict')
    .option('--strategy <name>', `which strategy (${DEFAULT_STRATEGY})`)
    .option('--scenario <name>', `a named run: ${[...SCENARIOS.keys()].join(', ')}`)
    .option('--stock <units>', 'units at the beginning (100)', whole(0, 1_000_000))
    .option('--requests <n>', 'orders in all (500)', whole(1, 200_000))
    .option('--connections <n>', 'buyers at once (50)', whole(1, 1000))
    .option('--quantity <units>', 'units per order (1)', whole(1, 1000))
    .option('--replicas <n>', 'replicas of the app whose balance it is (2)', whole(1, 16))
    .option('--sku <sku>', 'the product (load)', readSku)
    .option(
      '--carts <carts>',
      'carts instead, e.g. "a,b/b,a": one buyer after the other takes the next one',
      readCarts,
    )
    .option(
      '--amount <minor>',
      'entries of this amount on the account --sku instead of orders, below zero: debits; --stock: its balance before',
      readAmount,
    )
    .option('--work-ms <ms>', 'business time inside the critical section (0)', whole(0, 10_000))
    .option('--lease-ms <ms>', 'how long a lock is granted (5000)', whole(10, 60_000))
    .option('--wait-ms <ms>', 'how long to wait for a lock (2000)', whole(0, 30_000))
    .addOption(waitOption())
    .option('--retry-ms <ms>', 'pause between two tries (10)', whole(1, 1000))
    .option('--attempts <n>', 'how often an optimistic write is tried (5)', whole(1, 100))
    .option('--fault <fault>', 'a fault, e.g. "after(SETNX)=kill" (grammar: README, "Faults")')
    .option(
      '--fault-on <which>',
      'first: one buyer alone, before the others; nth=N: in the middle of the load; every=N (first)',
      readFaultOn,
    )
    .option(
      '--reconcile-orders',
      'bring orders that were left half-way to their end before the rows are judged',
    )
    .option('--json <file>', 'write the verdict as JSON');
  addressOptions(command).action((options: LoadOptions) =>
    runCommand(async ({ progress, signal, onEnd }) => {
      const asked = readPlan(options);
      const components = componentsOf([findStrategy(asked.strategy)]);
      const lab = await findOrStartLab(options, { progress, signal, components });
      onEnd(lab.stop);
      const isGiven = options.labUrl !== undefined && options.replicas === undefined;
      const plan = isGiven ? { ...asked, replicas: await lab.control.scale() } : asked;
      const run = await runLoad(lab.target, lab.control, plan, (text) => {
        progress.update(`${plan.strategy}: ${text}`);
      });
      progress.clear();
      const folder = writeRunFolder(run, options.scenario ?? plan.strategy);
      process.stdout.write(`${printRun(run, folder)}\n`);
      if (options.json !== undefined) writeJson(options.json, runJson(run));
      return exitCodeOf(run.verdict);
    }),
  );
}

/** 0 as the catalogue expects, 3 nothing proved, 1 otherwise. */
export const exitCodeOf = ({ asExpected, faultsProved, verdict }: LoadVerdict): number => {
  if (verdict === 'unknown' || !faultsProved) return EXIT.unknown;
  return asExpected ? EXIT.ok : EXIT.notAsExpected;
};

/** Options that a scenario, which is a whole plan, leaves to the caller. */
const BESIDE_SCENARIO: ReadonlySet<string> = new Set(['scenario', 'json', 'labUrl', 'publicUrl']);

function readPlan(given: LoadOptions): LoadPlan {
  if (given.scenario !== undefined) {
    const surplus = Object.keys(given).find((name) => !BESIDE_SCENARIO.has(name));
    if (surplus !== undefined)
      throw new Failure(
        `--scenario is a whole plan: ${optionOf(surplus)} would be ignored. Give either of them`,
        EXIT.usage,
      );
    const scenario = SCENARIOS.get(given.scenario);
    if (scenario !== undefined) return scenario.plan;
    throw new Failure(
      `there is no scenario "${given.scenario}". Choose one of: ${[...SCENARIOS.keys()].join(', ')}`,
      EXIT.usage,
    );
  }
  const {
    workMs,
    leaseMs,
    waitMs,
    wait,
    retryMs,
    attempts,
    stock,
    requests,
    connections,
    quantity,
    replicas,
    sku,
    carts,
    amount,
    strategy,
    fault,
    faultOn,
    reconcileOrders,
  } = given;
  const defined = (values: object): object =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  if (amount !== undefined && (carts ?? quantity ?? reconcileOrders) !== undefined)
    throw new Failure(
      '--amount is of an account: it has neither --carts nor --quantity nor --reconcile-orders',
      EXIT.usage,
    );
  try {
    const plan = completePlan({
      ...defined({ stock, requests, connections, quantity, replicas, sku, carts, reconcileOrders }),
      ...defined({ amountMinor: amount }),
      strategy: strategy ?? DEFAULT_STRATEGY,
      options: defined({ workMs, leaseMs, waitMs, wait, retryMs, attempts }),
      ...(fault !== undefined && { fault: { header: fault, on: faultOn ?? { kind: 'first' } } }),
    });
    assertCanFire(plan, faultOn);
    return plan;
  } catch (error) {
    if (error instanceof UnknownStrategy || error instanceof NoCarts || error instanceof FaultSyntaxError)
      throw new Failure(error.message, EXIT.usage);
    if (error instanceof z.ZodError) throw new Failure(z.prettifyError(error), EXIT.usage);
    throw error;
  }
}

/** `leaseMs` → `--lease-ms`. */
const optionOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Refuses a fault that no request of the run can meet: the run would prove nothing. */
function assertCanFire({ fault, requests, amountMinor }: LoadPlan, faultOn: FaultOn | undefined): void {
  if (fault === undefined) {
    if (faultOn === undefined) return;
    throw new Failure('--fault-on says which requests carry the fault: give --fault, too', EXIT.usage);
  }
  const { on, header } = fault;
  const wanted = amountMinor === undefined ? 'order' : 'entry';
  if (on.kind !== 'first' && on.n > requests)
    throw new Failure(
      `--fault-on ${on.kind}=${on.n} never fires: the run has only ${count(requests, wanted, amountMinor === undefined ? 'orders' : 'entries')} (--requests)`,
      EXIT.usage,
    );
  const reached = amountMinor === undefined ? ['order', 'inventory'] : ['account'];
  const elsewhere = parseFaults(header).find(({ app }) => !reached.includes(app));
  if (elsewhere !== undefined)
    throw new Failure(
      `--fault ${elsewhere.source} never fires: ${amountMinor === undefined ? 'orders do' : 'an entry does'} not reach the app ${elsewhere.app}, only ${reached.join(' and ')}. Write ${reached.at(-1) ?? ''}:${elsewhere.source.replace(/^[a-z]+:/, '')}`,
      EXIT.usage,
    );
}

function readFaultOn(text: string): FaultOn {
  if (text === 'first') return { kind: 'first' };
  const [, kind, n] = /^(nth|every)[:=]([1-9]\d{0,5})$/.exec(text) ?? [];
  if (kind === undefined) throw new InvalidArgumentError('Write first, nth=N or every=N.');
  return { kind: kind as 'nth' | 'every', n: Number(n) };
}
