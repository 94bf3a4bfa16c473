import {
  drawMermaid,
  inChinese,
  judgeCell,
  scheduleTokenOf,
  unknownInChinese,
  unknownText,
  writeToken,
  type OrderCounts,
  type Plan,
  type Played,
  type Tally,
} from '#lab/explore';
import { mechanismOf, type ScheduleViolationKind } from '#lab/verdict';
import type { FaultName } from '#lab/strategy';
import type { z } from 'zod';
import { eventView, violationView } from '../steps/step-view';
import type { counts, witness } from './schemas';

export type Counts = z.infer<typeof counts>;
export type WitnessView = z.infer<typeof witness>;

/** The counts so far. While branches are open the mark is that of what was found. `orders`: all orders, counted afterwards. */
export function countsOf({ budget }: Plan, tally: Tally, open: number, orders?: OrderCounts): Counts {
  const isPartial = tally.partial || open > 0;
  const { mark, reason } = judgeCell(
    { ...tally, partial: isPartial },
    Object.keys(budget)[0] as FaultName | undefined,
  );
  const interleavings = orders ?? tally.interleavings;
  return {
    schedules: tally.schedules,
    violating: tally.violating,
    harms: { ...tally.harms },
    kinds: Object.fromEntries(tally.kinds),
    fired: Object.fromEntries(tally.fired),
    // of a part, the share would be no estimate of the whole
    ...(interleavings !== undefined && !isPartial && { interleavings: withoutBrokenLocks(interleavings) }),
    protections: Object.fromEntries(tally.protections),
    inChinese: Object.fromEntries([...tally.protections.keys()].map((words) => [words, inChinese(words)])),
    searched: isPartial ? Math.min(tally.searched, 0.99) : 1,
    mark,
    ...(reason !== undefined && {
      because: { text: unknownText(reason), inChinese: unknownInChinese(reason) },
    }),
    isPartial,
  };
}

const withoutBrokenLocks = ({ all, unavailable, 'data-wrong': wrong }: OrderCounts): OrderCounts => ({
  all,
  'data-wrong': wrong,
  unavailable,
});

/** A schedule that shows a kind of violation, for people. */
export function witnessOf(
  { setup }: Plan,
  kind: ScheduleViolationKind,
  played: Played,
  passes?: string,
): WitnessView {
  const { history, verdict } = played;
  const mechanism = mechanismOf(history, verdict.violations);
  return {
    kind,
    token: writeToken(scheduleTokenOf(setup, played)),
    actors: history.actors.map(({ name, process }) => ({ name, process })),
    events: history.events.map(eventView),
    violations: verdict.violations.map(violationView),
    ...(mechanism !== undefined && { mechanism: { text: mechanism, inChinese: inChinese(mechanism) } }),
    ...(passes !== undefined && { passes }),
    mermaid: drawMermaid(history, verdict),
  };
}
