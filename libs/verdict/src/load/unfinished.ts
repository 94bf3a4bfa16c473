import type { HistoryLine } from '#lab/step';

/** Requests that have started and not ended in a live process: their effect is not final. */
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

/** The pid alone is ambiguous: in containers the replicas have equal pids. */
const processOf = ({ replica, pid }: HistoryLine): string => `${replica} ${pid}`;
