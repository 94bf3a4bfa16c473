import type { EndEvent, FinalState, ScheduleHistory, StepEvent } from './history';
import type { ScheduleViolation } from './violation';

type Sale = FinalState['movements'][number];

/** What the committed movements and the final balance say: DESIGN.md, "Verdict". */
export function judgeStock(history: ScheduleHistory): ScheduleViolation[] {
  const sales = history.final.movements.filter(({ delta }) => delta < 0);
  const sold = sales.reduce((units, { delta }) => units - delta, 0);
  return [
    ...oversold(history, sales, sold),
    ...lostUpdates(history, sales, sold),
    ...lostAcknowledged(history),
    ...undersold(history, sold),
  ];
}

function oversold(history: ScheduleHistory, sales: readonly Sale[], sold: number): ScheduleViolation[] {
  if (sold <= history.stock) return [];
  return [
    {
      kind: 'oversold',
      sentence: `${sold} sold of ${history.stock}: ${sales.map(saleInWords).join(', ')}`,
      at: sales.flatMap(({ request }) => writeOf(history, request)),
    },
  ];
}

function lostUpdates(history: ScheduleHistory, sales: readonly Sale[], sold: number): ScheduleViolation[] {
  const lost = sold - (history.stock - history.final.amount);
  if (lost <= 0) return [];
  const twice = sales.find(({ before, request }) =>
    sales.some((other) => other.before === before && other.request < request),
  );
  const first = sales.find(({ before, request }) => before === twice?.before && request !== twice.request);
  const collision =
    twice === undefined || first === undefined
      ? `the balance is ${history.final.amount}, the movements say ${history.stock - sold}`
      : `${first.request} and ${twice.request} both changed ${twice.before} to ${twice.after}`;
  return [
    {
      kind: 'lost-update',
      sentence: `${lost} lost: ${collision}`,
      at: sales.flatMap(({ request }) => writeOf(history, request)),
    },
  ];
}

function lostAcknowledged(history: ScheduleHistory): ScheduleViolation[] {
  return ends(history)
    .filter(
      ({ code, actor }) => code === 'APPLIED' && !history.final.movements.some((m) => m.request === actor),
    )
    .map(({ actor, n }) => ({
      kind: 'lost-acknowledged' as const,
      sentence: `${actor} was told that it had bought, and there is no movement of it`,
      at: [n],
    }));
}

/** Refused as sold out although units were left at the end and nobody's sale is missing: stock leaked. */
function undersold(history: ScheduleHistory, sold: number): ScheduleViolation[] {
  const refused = ends(history).filter(({ code }) => code === 'STOCK.SOLD_OUT');
  if (refused.length === 0 || sold >= history.stock) return [];
  return [
    {
      kind: 'undersold',
      sentence: `${refused.map(({ actor }) => actor).join(', ')} refused as sold out with ${history.stock - sold} left`,
      at: refused.map(({ n }) => n),
    },
  ];
}

const saleInWords = ({ request, before, after }: Sale): string => `${request} ${before} → ${after}`;

const ends = ({ events }: ScheduleHistory): EndEvent[] => events.filter((event) => event.type === 'end');

/** The position of an actor's last writing statement. */
function writeOf({ events }: ScheduleHistory, actor: string): number[] {
  const write = events.findLast(
    (event): event is StepEvent => event.type === 'step' && event.actor === actor && event.verb === 'UPDATE',
  );
  return write === undefined ? [] : [write.n];
}
