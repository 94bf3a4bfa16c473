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
import { prune } from '../housekeeping';
import { minuteLine, printSoak, printSoakPlan } from '../print/soak';
import { whole } from './load';
import { readComponents } from './up';

interface SoakOptions {
  readonly minutes: number;
  readonly seed?: number;
  readonly with: readonly Component[];
  readonly plan?: true;
  readonly json?: string;
}

const MOST_MINUTES = 24 * 60;
const LARGEST_SEED = 2 ** 31 - 1;
/** Light ones; the others are there for who asks. */
const COMPONENTS: readonly Component[] = ['redlock', 'replica'];

function readMinutes(text: string): number {
  const minutes = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (minutes >= 0.1 && minutes <= MOST_MINUTES) return minutes;
  throw new InvalidArgumentError(`It must be a number from 0.1 to ${MOST_MINUTES}.`);
}

export function register(program: Command): void {
  program
    .command('soak')
    .description(
      'buyers, and faults of every kind by seed, for minutes; after each minute nothing may be wrong, at the end nothing may have grown',
    )
    .option('--minutes <n>', 'how long; less than one is allowed', readMinutes, 10)
    .option('--seed <n>', 'repeats the plan of that seed (chance)', whole(0, LARGEST_SEED))
    .option(
      '--with <components>',
      `the servers on demand that take part, of ${COMPONENT_NAMES.join(', ')}, or none`,
      (text: string) => (text === 'none' ? [] : readComponents(text)),
      COMPONENTS,
    )
    .option('--plan', 'print the plan, and run nothing')
    .option('--json <file>', 'write plan, minutes, samples and verdict as JSON')
    .action((options: SoakOptions) =>
      runCommand(async (context) => {
        const seed = options.seed ?? randomInt(LARGEST_SEED);
        const plan = planSoak({ seed, minutes: options.minutes, components: options.with });
        process.stdout.write(`${printSoakPlan(plan)}\n`);
        if (options.plan === true) {
          if (options.json !== undefined) writeJson(options.json, { plan });
          return EXIT.ok;
        }
        const { run, conditions } = await soak(context, plan);
        context.progress.clear();
        process.stdout.write(`${printSoak(run)}\n`);
        if (options.json !== undefined) writeJson(options.json, { ...run, conditions });
        return run.verdict.held ? EXIT.ok : EXIT.notAsExpected;
      }),
    );
}

/** Writes the history of a minute that did not hold: it will be wanted. */
function keep(lines: readonly HistoryLine[], seed: number, minute: number): string {
  const folder = join(projectRoot(), 'runs');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `soak-${seed}-minute-${minute}.jsonl`);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return relative(process.cwd(), file);
}

/** On servers and replicas of its own: it does to them what nobody else should meet. */
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
    replicas: { order: 2, inventory: 2 },
    components: plan.components,
    lab: true,
    wired: [CUT_OFF],
    environment: { NODE_OPTIONS: '--expose-gc' }, // what is garbage is no leak
    signal,
    onProgress: say,
  });
  onEnd(() => stack.stop());
  const { public: publicUrl, lab: labUrl } = stack.urls;
  if (labUrl === undefined) throw new Failure('the lab has no lab address', EXIT.notAsExpected);
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
        if (minute.wrong.length > 0) say(`its history: ${keep(lines, plan.seed, minute.number)}`);
      },
    },
    plan,
  );
  return { run, conditions: await stack.conditions() };
}
