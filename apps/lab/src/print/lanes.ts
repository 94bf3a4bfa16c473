import { drawLanes, type NestedRun } from '#lab/explore';
import {
  MARKS,
  worstFirst,
  worstHarm,
  type ScheduleHistory,
  type ScheduleVerdict,
  markWords,
} from '#lab/verdict';
import { lineWidth, wrap } from './wrap';

/** Columns of a lane, of the event number before the lanes, and of the gap between two lanes, as `drawLanes` makes them. */
const LANE = 44;
const NUMBER = 4;
const GAP = 2;

/** Fits the lanes of a schedule into the line: narrower lanes, and remarks about locks on a line of their own. */
export function fitLanes(lanes: string, actors: number): string {
  const width = Math.min(LANE, Math.floor((lineWidth() - NUMBER) / actors) - GAP);
  return lanes
    .split('\n')
    .map((line, i) => {
      const isEvent = /^ *\d+ {2}(?!·· )/.test(line) && line.search(/\d/) < NUMBER;
      return i === 0 || isEvent ? fitEvent(line, actors, width) : wrap(line, 8);
    })
    .join('\n');
}

function fitEvent(line: string, actors: number, width: number): string {
  const [body = '', remark] = line.split('   ← ');
  const from = (lane: number): number => NUMBER + GAP + lane * (LANE + GAP);
  const cells = Array.from({ length: actors }, (_, lane) =>
    body.slice(from(lane), lane === actors - 1 ? undefined : from(lane) + LANE).trimEnd(),
  );
  const row = [body.slice(0, NUMBER), ...cells.map((cell) => fitCell(cell, width).padEnd(width))]
    .join(' '.repeat(GAP))
    .trimEnd();
  if (remark === undefined) return row;
  if (row.length + '   ← '.length + remark.length <= lineWidth()) return `${row}   ← ${remark}`;
  const lane = cells.findIndex((cell) => cell !== '│');
  const start = Math.min(NUMBER + GAP + lane * (width + GAP) + GAP, lineWidth() - remark.length - GAP);
  return `${row}\n${' '.repeat(Math.max(0, start))}← ${remark}`;
}

/** Shortens the command before its reply. */
function fitCell(cell: string, width: number): string {
  if (cell.length <= width) return cell;
  const at = cell.lastIndexOf(' ⇒ ');
  const reply = at < 0 ? '' : cell.slice(at);
  if (reply === '' || reply.length > width - 8) return `${cell.slice(0, width - 1)}…`;
  return `${cell.slice(0, width - reply.length - 1).replace(/…$/, '')}…${reply}`;
}

/** The verdict on one schedule, then the schedule. */
export const printSchedule = (history: ScheduleHistory, verdict: ScheduleVerdict): string =>
  [wrap(scheduleHeadline(verdict), 2), '', fitLanes(drawLanes(history, verdict), history.actors.length)].join(
    '\n',
  );

function scheduleHeadline({ violations }: ScheduleVerdict): string {
  const kinds = worstFirst(new Set(violations.map(({ kind }) => kind)));
  const mark = worstHarm(kinds) ?? 'safe';
  return `${MARKS[mark].sign} ${markWords(mark, kinds).toUpperCase()}${kinds.length === 0 ? ' in this schedule' : `: ${kinds.join(', ')}`}`;
}

/** The ways of a nested call under a lock: how many are as expected, then each with its schedule. */
export function printNested(runs: readonly NestedRun[]): string {
  const good = runs.filter(({ asExpected }) => asExpected).length;
  return [
    `${good} of ${runs.length} ways as expected`,
    ...runs.flatMap(({ way, history, verdict, outcomes, asExpected }) => [
      '',
      wrap(`${way.name}: ${way.shows}`, 2),
      `  A ${outcomes[0] ?? ''}, B ${outcomes[1] ?? ''}: ${asExpected ? 'as expected' : 'NOT as expected'}`,
      fitLanes(drawLanes(history, verdict), history.actors.length),
    ]),
  ].join('\n');
}
