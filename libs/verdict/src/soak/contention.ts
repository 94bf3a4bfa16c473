import type { HistoryLine } from '#lab/step';
import { judgeHolders } from '../load/holders';
import { moments } from '../load/moments';

/** Tells whether, at a time of the history of one balance, somebody held its lock while others were there. */
export function contention(history: readonly HistoryLine[]): (t: number) => boolean {
  const momentAt = moments(history, judgeHolders(history).holdIntervals);
  return (t) => {
    const { running, holders } = momentAt(t);
    return running.length > 1 && holders.some((request) => running.includes(request));
  };
}
