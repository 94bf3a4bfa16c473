import type { RequestLine } from '#lab/step';
import { optionsSchema, type Expectation } from '#lab/strategy';
import { judgeLoad, type ClientAnswer, type Evidence, type LoadVerdict } from '#lab/verdict';
import type { Command } from 'commander';
import { atRest, completePlan, expectationOf, gather, TargetError, together } from '#load-tests/run';
import { runCommand, writeJson } from '../command';
import { EXIT, Failure } from '../failure';
import { printVerdict } from '../print/verdict';
import { findRunningLab, type LabAddresses } from '../session';
import { addressOptions, exitCodeOf, readSku } from './load';

export function register(program: Command): void {
  const command = program
    .command('verdict')
    .argument('<sku>', 'the product', readSku)
    .description('judge all requests since the last reset of a product, also those of other clients')
    .option('--verbose', 'also print answers by code, and the process that observed each fault')
    .option('--json <file>', 'write the verdict as JSON');
  addressOptions(command).action((sku: string, options: LabAddresses & { verbose?: true; json?: string }) =>
    runCommand(async ({ onEnd }) => {
      const lab = await findRunningLab(options);
      onEnd(lab.stop);
      await lab.control.ready(); // a replica that a fault has killed may still be restarting
      const replicas = await lab.control.scale();
      const evidence = await atRest(lab.target, sku)
        .then(() => gather(lab.target, sku, { strategy: '', replicas }, { answers: [] }))
        .catch(refuseUnknown(sku));
      const verdict = judgeSince(evidence);
      process.stdout.write(`${printVerdict(verdict, options.verbose === true)}\n`);
      if (options.json !== undefined)
        writeJson(options.json, { ...verdict, conditions: await lab.control.conditions() });
      return exitCodeOf(verdict);
    }),
  );
}

const refuseUnknown =
  (sku: string) =>
  (cause: unknown): never => {
    if (cause instanceof TargetError && cause.status === 404)
      throw new Failure(`there is no product "${sku}"`, EXIT.usage, { cause });
    throw cause;
  };

/** Takes strategies and answers from the history, because no client recorded them. */
function judgeSince(evidence: Evidence): LoadVerdict {
  const requests = new Map(
    evidence.history.flatMap((line) =>
      line.type === 'request' && line.app === 'order' ? [[line.request, line] as const] : [],
    ),
  );
  const strategies = [...new Set([...requests.values()].map(({ strategy }) => strategy))];
  const answers = evidence.history.flatMap((line) =>
    line.type === 'outcome' && line.app === 'order'
      ? [
          {
            request: line.request,
            status: 0,
            code: line.code,
            ...orderOf(requests.get(line.request), evidence.balance),
            replica: line.replica,
            at: 0,
            tookMs: 0,
          },
        ]
      : [],
  );
  // a sold-out cart proves nothing about this product: another product may have been sold out
  const relevant = answers.filter(({ code, cart }) => code !== 'STOCK.SOLD_OUT' || cart === undefined);
  // none is required: a few requests by hand need not show a declared defect
  const expected = together(
    strategies.map((strategy) => {
      const own = [...requests.values()].filter((request) => request.strategy === strategy);
      return expectedOf(strategy, own, evidence);
    }),
  );
  return judgeLoad(
    { ...evidence, strategy: strategies.join(' + ') || 'nothing was sold', answers: relevant },
    expected,
  );
}

/** Removes duplicate carts; the order of products matters. */
const distinct = (carts: readonly (readonly string[])[]): (readonly string[])[] => [
  ...new Map(carts.map((cart) => [cart.join(), cart])).values(),
];

/** The quantity of this product in a request, and the other products of its cart. */
function orderOf(request: RequestLine | undefined, sku: string): Pick<ClientAnswer, 'quantity' | 'cart'> {
  const { delta = 0, cart } = request ?? {};
  if (cart === undefined) return { quantity: -delta };
  const own = cart.find(({ balance }) => balance === sku)?.delta ?? 0;
  return { quantity: -own, cart: cart.map(({ balance }) => balance) };
}

/** Faults that one x-fault header can carry. */
const MOST_FAULTS = 4;

/** The expectation of the catalogue for these options and the faults that fired. */
function expectedOf(
  strategy: string,
  requests: readonly RequestLine[],
  { history, replicas }: Evidence,
): Expectation {
  const fired = new Set(history.flatMap((line) => (line.type === 'fault' ? [line.fault] : [])));
  const isReconciled = history.some((line) => line.type === 'reconcile');
  const all = requests.map(({ options }) => optionsSchema.parse(options));
  const options = all.find(({ workMs, leaseMs }) => workMs > leaseMs) ?? all[0] ?? {};
  const carts = requests.flatMap(({ cart }) =>
    cart === undefined ? [] : [cart.map(({ balance }) => balance)],
  );
  return expectationOf(
    completePlan({
      strategy,
      ...(carts.length > 0 && { carts: distinct(carts) }),
      options,
      replicas,
      ...(isReconciled && { reconcile: true }),
      ...(fired.size > 0 && {
        fault: { header: [...fired].slice(0, MOST_FAULTS).join('; '), on: { kind: 'first' } },
      }),
    }),
  );
}
