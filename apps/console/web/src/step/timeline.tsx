import { useEffect, useRef, type ReactNode } from 'react';
import { SIGNS } from '../shared/mark';
import type { ScheduleEvent, Violation } from '../api/types';
import { explain, useTexts } from '../texts';
import { endText, isForeign, lockText, replyText, sentence, shortText } from './event-text';

/** The events in order: a row for each, in the column of its buyer; faults and time across all columns. */
export function Timeline({
  actors,
  events,
  violations,
}: {
  actors: readonly string[];
  events: readonly ScheduleEvent[];
  violations: readonly Violation[];
}): ReactNode {
  const t = useTexts();
  const list = useRef<HTMLOListElement>(null);
  const opened = useRef<number>(events.length);
  useEffect(() => {
    const { current } = list;
    if (current === null) return;
    if (events.length === opened.current) return; // as it was opened: from its first step
    opened.current = -1;
    const showEnd = (): void => {
      current.scrollTop = current.scrollHeight;
    };
    const observer = new ResizeObserver(showEnd); // a verdict takes some of its height
    observer.observe(current);
    showEnd();
    // on a phone, the page scrolls too: result, buyers, newest event, faults and goal fill the window
    current.closest('.board-left')?.scrollIntoView({ block: 'nearest' });
    return () => {
      observer.disconnect();
    };
  }, [events.length]);
  if (events.length === 0) return <p className="timeline-empty">{t.step.empty}</p>;
  return (
    <ol ref={list} className="timeline" aria-label={t.step.timeline} tabIndex={0}>
      {events.map((event) => (
        <li
          key={event.n}
          id={`event-${event.n}`}
          data-event={event.n}
          className={rowClass(event, violations)}
        >
          <span className="row-n">
            <Mark violation={violations.find((one) => isShown(event, one))} />
            {event.n}
          </span>
          <Row event={event} column={actors.indexOf(event.actor ?? '')} />
        </li>
      ))}
    </ol>
  );
}

const isShown = (event: ScheduleEvent, { at }: Violation): boolean => at.includes(event.n);

function rowClass(event: ScheduleEvent, violations: readonly Violation[]): string {
  const violation = violations.find((one) => isShown(event, one));
  return `row row-${event.type}${violation === undefined ? '' : ` row-violation row-${violation.harm}`}`;
}

function Mark({ violation }: { violation: Violation | undefined }): ReactNode {
  const t = useTexts();
  return (
    violation !== undefined && (
      <span className={`mark mark-${violation.harm}`} title={explain(t, violation)}>
        {SIGNS[violation.harm]}
      </span>
    )
  );
}

function Row({ event, column }: { event: ScheduleEvent; column: number }): ReactNode {
  const t = useTexts();
  const locks = <Locks event={event} />;
  if (column < 0)
    return (
      <div className="row-across">
        {sentence(t, event)}
        {locks}
      </div>
    );
  return (
    <div
      className={`row-cell actor-${event.actor ?? ''}`}
      style={{ gridColumn: column + 2 }}
      title={event.type === 'step' ? event.text : sentence(t, event)}
    >
      <span className="hidden">{event.actor}: </span>
      <CellText event={event} />
      {locks}
    </div>
  );
}

function CellText({ event }: { event: ScheduleEvent }): ReactNode {
  const t = useTexts();
  if (event.type === 'end') return <strong className="row-outcome">{endText(t, event)}</strong>;
  if (event.type !== 'step') return <span>{sentence(t, event)}</span>;
  const reply = replyText(event);
  return (
    <>
      {event.isTimer === true && <em>{t.kinds['timer-step']}: </em>}
      <code>{shortText(event)}</code>{' '}
      {reply === '' ? (
        <em className="row-reply">{t.step.inFlight}</em>
      ) : (
        <code className={event.error === undefined ? 'row-reply' : 'row-reply row-error'}>⇒ {reply}</code>
      )}
      {event.fault !== undefined && event.error === undefined && (
        <em className="row-error"> {t.kinds[event.fault] ?? event.fault}</em>
      )}
    </>
  );
}

function Locks({ event }: { event: ScheduleEvent }): ReactNode {
  const t = useTexts();
  return event.locks?.map((lock) => (
    <span
      key={`${lock.key} ${lock.change}`}
      className={`lock-change lock-${isForeign(lock) ? 'foreign' : lock.change}`}
      title={lock.key}
    >
      {lockText(t, lock)}
    </span>
  ));
}
