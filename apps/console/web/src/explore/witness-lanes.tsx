import type { ReactNode } from 'react';
import type { ScheduleEvent, Witness } from '../api/types';
import { explain, useTexts, type Texts } from '../texts';
import { endText, isForeign, lockText, replyText, sentence, shortText } from '../step/event-text';

const ROW = 30;
const HEAD = 44;
const LANE = 590;
const LEFT = 44;
const MAX_TEXT = 60;
const COLORS: Readonly<Record<string, string>> = { A: '#1447b8', B: '#9a4a00', C: '#7a1fa2' };

/** The lanes of a witness as a file: a fixed width, and a light background in both themes. */
export function WitnessLanes({ witness: { actors, events, violations } }: { witness: Witness }): ReactNode {
  const t = useTexts();
  const width = LEFT + actors.length * LANE;
  const height = HEAD + events.length * ROW + 8;
  const x = (name: string | undefined): number =>
    LEFT + actors.findIndex((actor) => actor.name === name) * LANE;
  const marked = new Set(violations.flatMap(({ at }) => at));
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      fontFamily="ui-monospace, Menlo, Consolas, monospace"
      fontSize="13"
      role="img"
      aria-label={violations.map((violation) => explain(t, violation)).join('; ')}
    >
      <rect width={width} height={height} fill="#ffffff" />
      {actors.map(({ name, process }) => (
        <g key={name}>
          <rect x={x(name)} y={HEAD} width={4} height={height - HEAD} fill={COLORS[name]} opacity={0.25} />
          <text x={x(name) + 12} y={28} fontSize="20" fontWeight="700" fill={COLORS[name]}>
            {name}
            <tspan fontSize="13" fontWeight="400" fill="#4c5566">
              {`  ${process}`}
            </tspan>
          </text>
        </g>
      ))}
      {events.map((event, i) => (
        <Row
          key={event.n}
          event={event}
          y={HEAD + i * ROW}
          x={event.actor === undefined ? undefined : x(event.actor)}
          width={width}
          isMarked={marked.has(event.n)}
          t={t}
        />
      ))}
    </svg>
  );
}

function Row({
  event,
  x,
  y,
  width,
  isMarked,
  t,
}: {
  event: ScheduleEvent;
  x: number | undefined;
  y: number;
  width: number;
  isMarked: boolean;
  t: Texts;
}): ReactNode {
  const fill = isMarked ? '#fde7e7' : event.type === 'fault' ? '#fdf3cf' : undefined;
  const locks = event.locks?.map((lock) => lockText(t, lock)).join(', ');
  const isWrong = event.locks?.some(isForeign) === true;
  return (
    <g>
      {fill !== undefined && <rect x={0} y={y} width={width} height={ROW} fill={fill} />}
      {isMarked && <rect x={0} y={y} width={5} height={ROW} fill="#b3151c" />}
      <text x={LEFT - 8} y={y + 20} textAnchor="end" fill="#4c5566">
        {event.n}
      </text>
      {x !== undefined && (
        <rect x={x} y={y} width={4} height={ROW} fill={COLORS[event.actor ?? ''] ?? '#4c5566'} />
      )}
      <text
        x={x === undefined ? width / 2 : x + 12}
        y={y + 20}
        textAnchor={x === undefined ? 'middle' : 'start'}
        fill="#11151d"
        fontWeight={event.type === 'step' ? '400' : '700'}
      >
        {cut(textOf(t, event))}
        {locks !== undefined && (
          <tspan
            fill={isWrong ? '#b3151c' : event.type === 'fault' ? '#7a5200' : '#14692f'}
            fontWeight="700"
          >{`  ${locks}`}</tspan>
        )}
      </text>
    </g>
  );
}

const textOf = (t: Texts, event: ScheduleEvent): string => {
  if (event.type === 'end') return endText(t, event);
  if (event.type !== 'step') return sentence(t, event);
  const reply = replyText(event);
  return `${cut(shortText(event), MAX_TEXT - 12)} ⇒ ${reply === '' ? '…' : reply}`;
};

const cut = (text: string, most = MAX_TEXT): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;
