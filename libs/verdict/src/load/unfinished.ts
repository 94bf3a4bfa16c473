import type { HistoryLine } from '#lab/step';

/** Requests that have begun and not ended, in a process that still lives: what they will do is not known yet. */
export function unfinished(history: readonly HistoryLine[]): string[] {
  const ended = new Set(
    history.flatMap((line) => (line.type === 'outcome' ? [`${line.app} ${line.request}`] : [])),
  );
  const dead = new Set(
    history.flatMap((line) =>
      line.type === 'exit' || (line.type === 'fault' && line.action === 'kill') ? [processOf(line)] : [],
    ),
  );
  return history.flatMap((line) =>
    line.type === 'request' && !ended.has(`${line.app} ${line.request}`) && !dead.has(processOf(line))
      ? [line.request]
      : [],
  );
}

/** In containers every replica has the same few pids. */
const processOf = ({ replica, pid }: HistoryLine): string => `${replica} ${pid}`;
