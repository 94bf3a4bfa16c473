import { projectRoot } from '#lab/stack';
import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CRASH_CASES,
  crashAt,
  enumerate,
  renderCrashes,
  type Crash,
  type CrashCase,
  type Finder,
} from '#load-tests/crash';
import { runCommand, writeJson, type Context } from '../command';
import { EXIT, Failure, partOnly } from '../failure';
import { printCrashes } from '../print/crash';
import { startLab } from '../session';

interface CrashOptions {
  readonly docs?: string;
  readonly json?: string;
  readonly quick?: true;
  readonly verbose?: true;
}

export function register(program: Command): void {
  program
    .command('crash-matrix')
    .argument('[cases...]', `cases (all): ${CRASH_CASES.map(({ name }) => `"${name}"`).join(', ')}`)
    .description('kill a replica before and after each step of an order, and check the recovery')
    .option('--quick', 'skip the crashes that only a retry of the client recovers: half the time')
    .option('--docs <file>', 'write all crashes as Markdown: docs/crash-matrix.md')
    .option('--verbose', 'also print the crashes that were recovered from')
    .option('--json <file>', 'write all crashes as JSON')
    .action((names: string[], options: CrashOptions) =>
      runCommand((context) => {
        const isPart = names.length > 0 || options.quick === true;
        if (isPart && options.docs !== undefined)
          throw partOnly('crash matrix', names.length > 0 ? 'the cases' : '--quick');
        return crashAll(chosen(names), options, context);
      }),
    );
}

function chosen(names: readonly string[]): readonly CrashCase[] {
  const unknown = names.find((name) => !CRASH_CASES.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new Failure(
      `there is no case "${unknown}" in the crash matrix. Choose from: ${CRASH_CASES.map(({ name }) => `"${name}"`).join(', ')}`,
      EXIT.usage,
    );
  return names.length === 0 ? CRASH_CASES : CRASH_CASES.filter(({ name }) => names.includes(name));
}

async function crashAll(
  cases: readonly CrashCase[],
  { quick, verbose, docs, json }: CrashOptions,
  { progress, signal, onEnd }: Context,
): Promise<number> {
  const dir = join(projectRoot(), '.lab', `crash-${process.pid}`);
  const lab = await startLab(dir, { progress, signal, components: [] });
  onEnd(lab.stop);
  const scene = { ...lab, run: randomBytes(3).toString('hex') };
  const partial = docs?.replace(/(\.md)?$/, '.partial.md');
  const crashes: Crash[] = [];
  const finders: readonly Finder[] = quick === true ? ['reconciler'] : ['reconciler', 'client'];
  for (const crash of cases) {
    const points = await enumerate(scene, crash);
    for (const [i, point] of points.entries())
      for (const finder of finders) {
        signal.throwIfAborted();
        progress.update(`${crash.name}: ${i + 1} of ${points.length}, ${point.fault}`);
        const done = await crashAt(scene, crash, point, finder);
        crashes.push(done);
        if (partial !== undefined) writeFileSync(partial, renderCrashes(crashes)); // keeps the results of an interrupted run
        if (json !== undefined) writeJson(json, { crashes });
        for (const wrong of done.wrong) progress.say(`${crash.name}, ${point.fault}, ${finder}: ${wrong}`);
      }
    const recovered = crashes.filter(({ name, wrong }) => name === crash.name && wrong.length === 0).length;
    progress.say(`${crash.name}: recovered from ${recovered} of ${points.length * finders.length} crashes`);
  }
  progress.clear();
  if (docs === undefined || partial === undefined)
    process.stdout.write(`${printCrashes(crashes, verbose === true)}\n`);
  else {
    writeFileSync(docs, renderCrashes(crashes));
    rmSync(partial, { force: true });
  }
  return crashes.every(({ wrong }) => wrong.length === 0) ? EXIT.ok : EXIT.notAsExpected;
}
