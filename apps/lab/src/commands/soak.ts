import { ensureInstalled, projectRoot, startProcesses } from '#lab/stack';
import { COMPONENT_NAMES, type Component, type HistoryLine } from '#lab/step';
import { InvalidArgumentError, type Command } from 'commander';
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Target } from '#load-tests/run';
import { CUT_OFF, planSoak, runSoak, type SoakPlan, type SoakRun } from '#load-tests/soak';
import { runCommand, writeJson, type Context } from '../command';
import { EXIT, Failure } from '../failure';
import { runsDir } from '#load-tests/results';
import { prune } from '../housekeeping';
import { minuteLine, printSoak, printSoakPlan } from '../print/soak';
import { whole } from './numbers';
import { readComponents } from './up';

interface SoakOptions {
  readonly minutes: number;
  readonly seed?: number;
  readonly with: readonly Component[];
  readonly plan?: true;
  readonly verbose?: true;
  readonly json?: string;
}

const MOST_MINUTES = 24 * 60;
const LARGEST_SEED = 2 ** 31 - 1;

function readMinutes(text: string): number {
  const minutes = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (minutes >= 0.1 && minutes <= MOST_MINUTES) return minutes;
  throw new InvalidArgumentError(`It must be a number from 0.1 to ${MOST_MINUTES}.`);
}

export function register(program: Command): void {
  program
    .command('soak')
    .description(
      'run buyers and seeded faults of every kind for minutes; check the data after each minute, and for leaks at the end',
    )
    .option('--minutes <n>', 'duration; fractions are allowed', readMinutes, 10)
    .option('--seed <n>', 'seed of the plan (random)', whole(0, LARGEST_SEED))
    .option(
      '--with <components>',
      `servers on demand to use: ${COMPONENT_NAMES.join(', ')}, or none`,
      (text: string) => (text === 'none' ? [] : readComponents(text)),
      COMPONENT_NAMES,
    )
    .option('--plan', 'print the plan without running it')
    .option(
      '--verbose',
      'also print the times of the faults, answers, and memory and handles of each replica',
    )
    .option('--json <file>', 'write plan, minutes, samples and verdict as JSON')
    .action((options: SoakOptions) =>
      runCommand(async (context) => {
        const seed = options.seed ?? randomInt(LARGEST_SEED);
        const plan = planSoak({ seed, minutes: options.minutes, components: options.with });
        process.stdout.write(`${printSoakPlan(plan, options.verbose === true)}\n`);
        if (options.plan === true) {
          if (options.json !== undefined) writeJson(options.json, { plan });
          return EXIT.ok;
        }
        const { run, conditions } = await soak(context, plan);
        context.progress.clear();
        process.stdout.write(`${printSoak(run, options.verbose === true)}\n`);
        if (options.json !== undefined) writeJson(options.json, { ...run, conditions });
        return run.verdict.held ? EXIT.ok : EXIT.notAsExpected;
      }),
    );
}

/** Saves the history of a minute with a violation, for its analysis. */
function saveHistory(lines: readonly HistoryLine[], seed: number, minute: number): string {
  const folder = runsDir();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `soak-${seed}-minute-${minute}.jsonl`);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return relative(process.cwd(), file);
}

/** Runs on servers and replicas of its own, because its faults would disturb any other client. */
async function soak(
  { progress, signal, onEnd }: Context,
  plan: SoakPlan,
): Promise<{ run: SoakRun; conditions: object }> {
  const say = (line: string): void => {
    progress.say(line);
  };
  await prune(say);
  await ensureInstalled(say, plan.components);
  const dir = join(projectRoot(), '.lab', `soak-${process.pid}`);
  const stack = await startProcesses({
    dir,
    replicas: { order: 2, inventory: 2, account: 2 },
    components: plan.components,
    lab: true,
    wired: [CUT_OFF],
    environment: { NODE_OPTIONS: '--expose-gc' }, // garbage must not be reported as a leak
    signal,
    onProgress: say,
  });
  onEnd(() => stack.stop());
  const { public: publicUrl, lab: labUrl } = stack.urls;
  if (labUrl === undefined)
    throw new Failure(
      'the stack of this soak started without a lab URL. Run the command again; if it fails again, report a bug',
      EXIT.notAsExpected,
    );
  const target = new Target(publicUrl, labUrl);
  onEnd(() => target.close());
  const run = await runSoak(
    {
      stack,
      target,
      dir,
      signal,
      onProgress: (text) => {
        progress.update(text);
      },
      onMinute: (minute, lines) => {
        say(minuteLine(minute, plan.minutes.length));
        if (minute.wrong.length > 0)
          say(`history of minute ${minute.number}: ${saveHistory(lines, plan.seed, minute.number)}`);
      },
    },
    plan,
  );
  return { run, conditions: await stack.conditions() };
}
