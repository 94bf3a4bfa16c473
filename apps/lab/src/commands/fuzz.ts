import { count } from '#lab/step';
import { projectRoot } from '#lab/stack';
import type { Command } from 'commander';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { labOf, openSubject, runFuzz, type FuzzRun, type LabUnderFuzz } from '#load-tests/fuzz';
import { runCommand, writeJson, type Context } from '../command';
import { EXIT, Failure } from '../failure';
import { printFuzz } from '../print/fuzz';
import { startStack, type LabAddresses } from '../session';
import { addressOptions } from './load';
import { whole } from './numbers';

const LARGEST_SEED = 0xffff_ffff;
/** Requests between two lines of progress. */
const REPORT_EVERY = 1000;

interface FuzzOptions extends LabAddresses {
  readonly requests: number;
  readonly seed?: number;
  readonly only?: number;
  readonly mysqlUrl?: string;
  readonly redisUrl?: string;
  readonly verbose?: true;
  readonly json?: string;
}

export function register(program: Command): void {
  const command = program
    .command('fuzz')
    .description('send valid and malformed requests to every endpoint, and report each unexpected answer')
    .option('--requests <n>', 'number of requests', whole(1, 1_000_000), 10_000)
    .option('--seed <n>', 'seed of the requests (random)', whole(0, LARGEST_SEED))
    .option('--only <n>', 'send only the request with this number', whole(0, 1_000_000))
    .option('--mysql-url <url>', 'with --lab-url: URL of the database, with user and password')
    .option('--redis-url <url>', 'with --lab-url: URL of Redis')
    .option('--verbose', 'also print answer codes, and answers and curl commands in full')
    .option('--json <file>', 'write counts and findings as JSON');
  addressOptions(command).action((options: FuzzOptions) =>
    runCommand(async (context) => {
      const { progress, signal, onEnd } = context;
      const seed = options.seed ?? randomInt(LARGEST_SEED);
      const { lab, conditions } = await findLab(options, context);
      const { subject, close } = await openSubject(lab);
      onEnd(close);
      progress.say(
        `seed ${seed}: ${count(options.requests, 'request')} to ${count(subject.endpoints.length, 'endpoint')}`,
      );
      const run = await runFuzz(subject, {
        seed,
        requests: options.requests,
        ...(options.only !== undefined && { only: options.only }),
        signal,
        onFinding: ({ index, endpoint, side, what }) => {
          progress.say(`finding at ${index}, ${endpoint} @${side}: ${what}`);
        },
        onRequest: (done, findings) => {
          const text = `${done}/${options.requests}, ${count(findings, 'finding')}`;
          if (done % REPORT_EVERY === 0) progress.say(text);
          else progress.update(text);
        },
      });
      progress.clear();
      process.stdout.write(`${printFuzz(run, options.verbose === true)}\n`);
      if (options.json !== undefined)
        writeJson(options.json, { ...fuzzJson(run), conditions: await conditions() });
      return run.findings.length === 0 ? EXIT.ok : EXIT.notAsExpected;
    }),
  );
}

interface FuzzedLab {
  readonly lab: LabUnderFuzz;
  readonly conditions: () => Promise<object>;
}

/** The lab at the given URLs, otherwise a new one. */
async function findLab(options: FuzzOptions, context: Context): Promise<FuzzedLab> {
  if (options.labUrl !== undefined) return given(options);
  const dir = join(projectRoot(), '.lab', `run-${process.pid}`);
  const stack = await startStack(dir, { ...context, components: [] }, { account: 2 });
  context.onEnd(() => stack.stop());
  return {
    lab: labOf(stack),
    conditions: () => stack.conditions(),
  };
}

/** A lab at the given URLs. The servers are needed, too: a rejected request must not change any data. */
function given({ labUrl, publicUrl, mysqlUrl, redisUrl }: FuzzOptions): FuzzedLab {
  if (labUrl === undefined || publicUrl === undefined || mysqlUrl === undefined || redisUrl === undefined)
    throw new Failure(
      'to fuzz a lab that another program started, give all of --lab-url, --public-url, --mysql-url and --redis-url',
      EXIT.usage,
    );
  return {
    lab: { addresses: { public: publicUrl, lab: labUrl }, mysqlUrl, redisUrl },
    conditions: () => Promise.resolve({ backEnd: 'given', labUrl, publicUrl }),
  };
}

const fuzzJson = ({ tally, codes, ...run }: FuzzRun): object => ({
  ...run,
  answers: Object.fromEntries(
    [...tally].map(([endpoint, statuses]) => [endpoint, Object.fromEntries(statuses)]),
  ),
  codes: Object.fromEntries(codes),
});
