import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process even when its pid is reused later. */
export interface Identity {
  readonly pid: number;
  /** Start time in the system's format (Linux: clock ticks since boot). */
  readonly start: string;
}

export function identify(pid: number): Identity | undefined {
  const start = linuxStat(pid)?.start ?? ps(pid, 'lstart=');
  return start === undefined ? undefined : { pid, start };
}

export const own = (): Identity => identify(process.pid) ?? { pid: process.pid, start: '' };

/** Whether this process is still running; a zombie is not. */
export function isAlive({ pid, start }: Identity): boolean {
  const found = linuxStat(pid); // both values from one read, because the process may end between two reads
  if (found !== undefined) return found.start === start && found.state !== 'Z';
  const state = ps(pid, 'state=') ?? '';
  return state !== '' && !state.startsWith('Z') && ps(pid, 'lstart=') === start;
}

/** The state as in ps: R, S, T (stopped), Z …; empty when there is no such process. */
export function stateOf(pid: number): string {
  return linuxStat(pid)?.state ?? ps(pid, 'state=') ?? '';
}

/** The command line as in ps; empty when there is no such process. */
export function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ps(pid, 'args=') ?? '';
  }
}

/** Sends a signal; false when there is no such process. A negative pid is a process group. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function linuxStat(pid: number): { state: string; start: string } | undefined {
  try {
    // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
    const [, rest = ''] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string | undefined {
  if (process.platform === 'linux') return undefined;
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
