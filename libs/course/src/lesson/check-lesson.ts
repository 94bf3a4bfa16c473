import { projectRoot } from '#lab/stack';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareOutput } from './compare-output';
import type { Lesson, LessonCommand } from './lesson';

/** What a command of a lesson did. */
export interface CheckedCommand {
  readonly command: LessonCommand;
  /** Absent: it did what the lesson says. One sentence. */
  readonly differs?: string;
}

export interface CheckOptions {
  /** Only commands with the attribute `quick`. */
  readonly quick: boolean;
  /** Stops the running command. */
  readonly signal?: AbortSignal;
}

/** Runs the commands of a lesson one after the other in an empty folder, and compares what they print. */
export async function* checkLesson(
  { commands }: Lesson,
  { quick, signal }: CheckOptions,
): AsyncGenerator<CheckedCommand> {
  const folder = mkdtempSync(join(tmpdir(), 'oversell-lab-lesson-'));
  try {
    for (const command of commands.filter(({ isQuick }) => isQuick || !quick)) {
      const differs = differenceOf(command, await run(command.command, folder, signal));
      yield { command, ...(differs !== undefined && { differs }) };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lines of a failed command that are reported. */
const LAST_LINES = 6;

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

function differenceOf({ exitCode, output }: LessonCommand, { code, printed }: Ended): string | undefined {
  if (code !== exitCode)
    return `it ended with ${code ?? 'a signal'}, not with ${exitCode}; its last lines: ${printed.trim().split('\n').slice(-LAST_LINES).join(' / ')}`;
  const difference = output === undefined ? undefined : compareOutput(output, printed);
  if (difference === undefined) return undefined;
  const { expected, after } = difference;
  return `it did not print "${expected.trim()}"${after === undefined ? '' : ` after "${after.trim()}"`}`;
}

/** Runs `npx lab …` of this checkout. Standard error follows standard output. */
async function run(command: string, cwd: string, signal?: AbortSignal): Promise<Ended> {
  const words = wordsOf(command).slice(2);
  const child = spawn(process.execPath, [join(projectRoot(), 'apps', 'lab', 'bin', 'lab.mjs'), ...words], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal !== undefined && { signal, killSignal: 'SIGINT' }),
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, printed: `${printed.stdout}\n${printed.stderr}` };
}

/** The words of a shell command: quotes are removed, a comment is left out. */
export const wordsOf = (command: string): string[] =>
  [...command.replace(/\s+# .*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
