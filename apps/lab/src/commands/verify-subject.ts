import { exploreSubject, inOrder, type SubjectResult } from '#lab/explore';
import type { OwnSubject } from '#lab/own';
import { count } from '#lab/step';
import { relative } from 'node:path';
import { writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT } from '../failure';
import { printSchedule } from '../print/lanes';
import { STATE_WORDS } from '../print/verify';
import { limitMs } from './numbers';

/** Explores a user's subject, without faults and with each one, and prints what is violated. Returns the exit code. */
export async function verifySubject(
  subject: OwnSubject,
  { seconds, workers, json }: { seconds: number; workers: number; json: string | undefined },
  context: Context,
): Promise<number> {
  const { progress, signal, onEnd } = context;
  const { pool, conditions, stop } = await openExplorer(context, workers, [subject]);
  onEnd(stop);
  const found: SubjectResult[] = [];
  const exploring = exploreSubject(pool, subject, limitMs(seconds), {
    signal,
    onProgress: (faults, schedules) => {
      progress.update(`${faults === '' ? 'no fault' : faults}: ${count(schedules, 'schedule')}`);
    },
  });
  for await (const result of exploring) {
    const { faults, witness } = result;
    if (witness !== undefined && !found.some((one) => one.witness?.token === witness.token)) {
      progress.clear();
      const { history, verdict } = witness.played;
      const title = faults === '' ? 'Without a fault' : `With ${faults}`;
      const again = `npx lab replay ${witness.token} --with ${relative('', subject.module ?? '')}`;
      process.stdout.write(`${title}: ${printSchedule(history, verdict)}\n      ${again}\n\n`);
    }
    found.push(result);
  }
  progress.clear();
  const results = inOrder(found);
  const reasons = new Set(results.flatMap(({ why }) => why ?? []));
  process.stdout.write(`${[...results.map(line), ...reasons].join('\n')}\n`);
  if (json !== undefined)
    writeJson(json, { subject: subject.name, results: results.map(resultJson), conditions });
  if (results.some(({ state }) => state === 'broken')) return EXIT.notAsExpected;
  return results.some(({ state }) => state === 'unknown') || signal.aborted ? EXIT.unknown : EXIT.ok;
}

function line(
  { faults, schedules, state, witness }: SubjectResult,
  _: number,
  all: readonly SubjectResult[],
): string {
  const first = all.find((one) => one.witness !== undefined && one.witness.token === witness?.token);
  const isAsBefore = first !== undefined && first.faults !== faults;
  const asBefore = isAsBefore
    ? `, as ${first.faults === '' ? 'without a fault' : `with ${first.faults}`}`
    : '';
  return `${STATE_WORDS[state].padEnd(8)} ${(faults === '' ? 'no fault' : faults).padEnd(14)} ${count(schedules, 'schedule')}${asBefore}`;
}

const resultJson = ({ faults, schedules, state, why, witness }: SubjectResult): object => ({
  faults,
  schedules,
  state: STATE_WORDS[state],
  ...(why !== undefined && { why }),
  ...(witness !== undefined && {
    violations: witness.played.verdict.violations.map(({ sentence }) => sentence),
    token: witness.token,
  }),
});
