import { FaultSyntaxError } from '#lab/step';
import { componentsOf, DEFAULT_STRATEGY, NoCarts, UnknownStrategy, type Options } from '#lab/strategy';
import type { LoadVerdict } from '#lab/verdict';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { relative } from 'node:path';
import { z } from 'zod';
import {
  assertCanFire,
  completePlan,
  FaultCannotFire,
  parseFaultOn,
  runLoad,
  strategiesOf,
  type FaultOn,
  type LoadPlan,
} from '#load-tests/run';
import { findScenario, SCENARIOS, UnknownScenario } from '#load-tests/scenarios';
import { runCommand, writeJson } from '../command';
import { EXIT, Failure } from '../failure';
import { addStrategies, strategyFileOption } from '../own-file';
import { printRun } from '../print/verdict';
import { runJson, writeRunFolder } from '#load-tests/results';
import { findOrStartLab, type LabAddresses } from '../session';
import { MOST_REQUESTS, whole } from './numbers';
import { openLoopOptions, readOpenLoop, type OpenLoopOptions } from './open-loop';

interface LoadOptions extends LabAddresses, OpenLoopOptions {
  readonly strategy?: string;
  readonly beside?: string;
  readonly scenario?: string;
  readonly stock?: number;
  readonly requests?: number;
  readonly connections?: number;
  readonly quantity?: number;
  readonly replicas?: number;
  readonly sku?: string;
  readonly carts?: readonly (readonly string[])[];
  readonly amount?: number;
  readonly account?: string;
  readonly workMs?: number;
  readonly leaseMs?: number;
  readonly waitMs?: number;
  readonly wait?: Options['wait'];
  readonly isolation?: Options['isolation'];
  readonly retryMs?: number;
  readonly attempts?: number;
  readonly fault?: string;
  readonly faultOn?: FaultOn;
  readonly reconcileOrders?: true;
  readonly verbose?: true;
  readonly json?: string;
  readonly withStrategy?: readonly string[];
}

/** Parses an amount in minor units. */
function readAmount(text: string): number {
  const amount = /^-?[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isNaN(amount)) return amount;
  throw new InvalidArgumentError('It must be a whole number other than 0, of at most nine digits.');
}

/** Parses a SKU. */
export function readSku(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('A SKU has 1 to 64 letters, digits, ".", "_" or "-".');
}

/** The options of a request whose values are words. */
export const wordOptions = (command: Command): Command =>
  command.addOption(waitOption()).addOption(isolationOption());

const isolationOption = (): Option =>
  new Option('--isolation <level>', 'isolation level of the transaction (repeatable-read)').choices([
    'repeatable-read',
    'read-committed',
  ]);

const waitOption = (): Option =>
  new Option('--wait <how>', 'how to wait for a lock (poll)').choices(['poll', 'notify']);

function readAccount(text: string): string {
  if (/^[\w.-]{1,48}$/.test(text)) return text;
  throw new InvalidArgumentError('An account has 1 to 48 letters, digits, ".", "_" or "-".');
}

/** Parses carts of SKUs; a SKU may occur once in a cart. */
function readCarts(text: string): readonly (readonly string[])[] {
  return text.split('/').map((cart) => {
    const skus = cart.split(',').map(readSku);
    if (new Set(skus).size < skus.length)
      throw new InvalidArgumentError('A cart must not contain a product twice.');
    return skus;
  });
}

export const addressOptions = (command: Command): Command =>
  command
    .option('--lab-url <url>', 'lab URL of a lab that another program started, e.g. docker compose')
    .option('--public-url <url>', 'public URL of that lab');

export function register(program: Command): void {
  const command = program
    .command('load')
    .description('send orders through nginx, then judge the rows in the database')
    .option('--strategy <name>', `strategy (${DEFAULT_STRATEGY})`)
    .option('--beside <name>', 'every second order uses this strategy: two systems change one stock')
    .option('--scenario <name>', `a predefined run: ${[...SCENARIOS.keys()].join(', ')}`)
    .option('--stock <units>', 'initial units (100)', whole(0, 1_000_000))
    .option('--requests <n>', 'total number of orders (500)', whole(1, MOST_REQUESTS))
    .option('--connections <n>', 'concurrent buyers (50)', whole(1, 1000))
    .option('--quantity <units>', 'units per order (1)', whole(1, 1000))
    .option('--replicas <n>', 'replicas of the app that owns the balance (2)', whole(1, 16))
    .option('--sku <sku>', 'product (load)', readSku)
    .option(
      '--carts <carts>',
      'carts instead of one product, e.g. "a,b/b,a"; buyers take them in turn',
      readCarts,
    )
    .option(
      '--amount <minor>',
      'entries of this amount on an account instead of orders; negative: debits; --stock: opening balance',
      readAmount,
    )
    .option('--account <id>', 'account of --amount (load)', readAccount)
    .option('--work-ms <ms>', 'duration of the work inside the critical section (0)', whole(0, 10_000))
    .option('--lease-ms <ms>', 'lease time of a lock (5000)', whole(10, 60_000))
    .option('--wait-ms <ms>', 'maximum wait for a lock (2000)', whole(0, 30_000))
    .option('--retry-ms <ms>', 'pause between two attempts (10)', whole(1, 1000))
    .option('--attempts <n>', 'attempts of an optimistic write (5)', whole(1, 100))
    .option('--fault <fault>', 'a fault, e.g. "after(SETNX)=kill" (grammar: docs/faults.md)')
    .option(
      '--fault-on <which>',
      'requests with the fault: first (one buyer before all others), nth=N or every=N (first)',
      readFaultOn,
    )
    .option('--reconcile-orders', 'reconcile unfinished orders before the rows are judged')
    .option('--verbose', 'also print options, all answers, answers by replica and all percentiles')
    .option('--json <file>', 'write the verdict as JSON');
  wordOptions(command);
  openLoopOptions(command);
  strategyFileOption(addressOptions(command)).action(({ withStrategy = [], ...given }: LoadOptions) =>
    runCommand(async ({ progress, signal, onEnd }) => {
      const strategyFiles = addStrategies(withStrategy);
      const [own] = strategyFiles.keys();
      const options = own === undefined ? given : { strategy: own, ...given };
      const requested = readPlan(options);
      const components = componentsOf(strategiesOf(requested));
      const lab = await findOrStartLab(options, {
        progress,
        signal,
        components,
        strategyFiles,
      });
      onEnd(lab.stop);
      const isGiven = options.labUrl !== undefined && options.replicas === undefined;
      const plan = isGiven ? { ...requested, replicas: await lab.control.scale() } : requested;
      const run = await runLoad(lab.target, lab.control, plan, {
        progress: (text) => {
          progress.update(`${plan.strategy}: ${text}`);
        },
      });
      progress.clear();
      const folder = relative(process.cwd(), writeRunFolder(run, options.scenario ?? plan.strategy)) || '.';
      process.stdout.write(`${printRun(run, folder, options.verbose === true)}\n`);
      if (options.json !== undefined) writeJson(options.json, runJson(run));
      return exitCodeOf(run.verdict);
    }),
  );
}

/** 0: as the catalogue expects; 3: nothing was proved; 1: otherwise. */
export const exitCodeOf = ({ asExpected, faultsProved, verdict }: LoadVerdict): number => {
  if (verdict === 'unknown' || !faultsProved) return EXIT.unknown;
  return asExpected ? EXIT.ok : EXIT.notAsExpected;
};

/** Options that can be combined with a scenario: all others are part of its plan. */
const ALLOWED_WITH_SCENARIO: ReadonlySet<string> = new Set([
  'scenario',
  'verbose',
  'json',
  'labUrl',
  'publicUrl',
]);

function readPlan(given: LoadOptions): LoadPlan {
  if (given.scenario !== undefined) {
    const surplus = Object.keys(given).find((name) => !ALLOWED_WITH_SCENARIO.has(name));
    if (surplus !== undefined)
      throw new Failure(
        `--scenario sets the whole plan, so ${optionOf(surplus)} would be ignored. Omit one of the two options`,
        EXIT.usage,
      );
    try {
      return findScenario(given.scenario).plan;
    } catch (error) {
      throw error instanceof UnknownScenario ? new Failure(error.message, EXIT.usage) : error;
    }
  }
  const {
    workMs,
    leaseMs,
    waitMs,
    wait,
    retryMs,
    attempts,
    isolation,
    stock,
    requests,
    connections,
    quantity,
    replicas,
    sku,
    carts,
    amount,
    account,
    strategy = DEFAULT_STRATEGY,
    beside,
    fault,
    faultOn,
    reconcileOrders,
  } = given;
  const defined = (values: object): object =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  if (amount !== undefined && (sku ?? carts ?? quantity ?? reconcileOrders) !== undefined)
    throw new Failure(
      '--amount changes an account and cannot be combined with --sku, --carts, --quantity or --reconcile-orders',
      EXIT.usage,
    );
  if (amount === undefined && account !== undefined)
    throw new Failure('--account needs --amount: orders buy a product (--sku)', EXIT.usage);
  if (beside === strategy)
    throw new Failure(
      `--beside is the strategy of another system, and ${strategy} is that of the first one. Choose another for one of them`,
      EXIT.usage,
    );
  if (fault === undefined && faultOn !== undefined)
    throw new Failure('--fault-on selects the requests that carry the fault: give --fault, too', EXIT.usage);
  try {
    const plan = completePlan({
      ...defined({ stock, requests, connections, quantity, replicas, carts, reconcileOrders }),
      ...defined({ balance: account ?? sku, amountMinor: amount, openLoop: readOpenLoop(given) }),
      ...(beside !== undefined && { mixedWith: { strategy: beside } }),
      strategy,
      options: defined({ workMs, leaseMs, waitMs, wait, retryMs, attempts, isolation }),
      ...(fault !== undefined && { fault: { header: fault, on: faultOn ?? { kind: 'first' } } }),
    });
    assertCanFire(plan);
    return plan;
  } catch (error) {
    if (error instanceof UnknownStrategy || error instanceof NoCarts || error instanceof FaultSyntaxError)
      throw new Failure(error.message, EXIT.usage);
    if (error instanceof FaultCannotFire)
      throw new Failure(`${error.part === 'on' ? '--fault-on' : '--fault'} ${error.message}`, EXIT.usage);
    if (error instanceof z.ZodError) throw new Failure(z.prettifyError(error), EXIT.usage);
    throw error;
  }
}

/** `leaseMs` → `--lease-ms`. */
const optionOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function readFaultOn(text: string): FaultOn {
  const on = parseFaultOn(text);
  if (on === undefined) throw new InvalidArgumentError('Write first, nth=N or every=N.');
  return on;
}
