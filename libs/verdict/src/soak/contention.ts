import type { HistoryLine } from '#lab/step';
import { judgeHolders } from '../load/holders';
import { moments } from '../load/moments';

/** Returns whether one balance was contended at time `t`: a request held its lock while other requests were running. */
export function contention(history: readonly HistoryLine[]): (t: number) => boolean {
  const momentAt = moments(history, judgeHolders(history).holdIntervals);
  return (t) => {
    const { running, holders } = momentAt(t);
    return running.length > 1 && holders.some((request) => running.includes(request));
  };
}
