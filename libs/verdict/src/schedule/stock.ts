import { groupBy } from '../group-by';
import type { EndEvent, FinalState, ScheduleActor, ScheduleHistory, StepEvent } from './history';
import type { ScheduleViolation } from './violation';

type Sale = FinalState['movements'][number];

/** One balance after the schedule: its committed sales and their sum. */
interface Sales {
  readonly balance: string;
  readonly stock: number;
  readonly amount: number;
  readonly sales: readonly Sale[];
  readonly sold: number;
  /** `name: ` if the schedule has several balances; otherwise empty. */
  readonly prefix: string;
}

/** Violations in committed movements and final balances: docs/design-notes.md, "How verdicts are defined". */
export function judgeStock(history: ScheduleHistory): ScheduleViolation[] {
  const balances = salesByBalance(history);
  return [
    ...balances.flatMap((balance) => oversold(history, balance)),
    ...balances.flatMap((balance) => lostUpdates(history, balance)),
    ...lostAcknowledged(history),
    ...soldButRefused(history),
    ...notOrdered(history),
    ...tornCarts(history),
    ...undersold(history, balances),
    ...balances.flatMap(unitsGone),
  ];
}

function salesByBalance({ stock, final }: ScheduleHistory): Sales[] {
  const amounts = Object.entries(final.amounts);
  return amounts.map(([balance, amount]) => {
    const sales = final.movements.filter((movement) => movement.balance === balance && movement.delta < 0);
    const sold = sales.reduce((units, { delta }) => units - delta, 0);
    return { balance, stock, amount, sales, sold, prefix: amounts.length > 1 ? `${balance}: ` : '' };
  });
}

function oversold(history: ScheduleHistory, { stock, sales, sold, prefix }: Sales): ScheduleViolation[] {
  if (sold <= stock) return [];
  return [
    {
      kind: 'oversold',
      sentence: `${prefix}${sold} sold of ${stock}: ${sales.map(saleInWords).join(', ')}`,
      at: sales.flatMap(({ request }) => writeOf(history, request)),
    },
  ];
}

function lostUpdates(
  history: ScheduleHistory,
  { stock, amount, sales, sold, prefix }: Sales,
): ScheduleViolation[] {
  const lost = sold - (stock - amount);
  if (lost <= 0) return [];
  const twice = sales.find((sale) =>
    sales.some((other) => fromTheSame(other, sale) && other.request < sale.request),
  );
  const first = sales.find(
    (sale) => twice !== undefined && fromTheSame(sale, twice) && sale.request !== twice.request,
  );
  const collision =
    twice === undefined || first === undefined
      ? `the balance is ${amount}, the movements say ${stock - sold}`
      : `${first.request} and ${twice.request} both changed ${twice.before} to ${twice.after}`;
  return [
    {
      kind: 'lost-update',
      sentence: `${prefix}${lost} lost: ${collision}`,
      at: sales.flatMap(({ request }) => writeOf(history, request)),
    },
  ];
}

/** The balance decreased by more than its movements: units are gone without a sale. */
function unitsGone({ stock, amount, sold, prefix }: Sales): ScheduleViolation[] {
  const gone = stock - amount - sold;
  if (gone <= 0) return [];
  return [
    {
      kind: 'undersold',
      sentence: `${prefix}units are gone: the balance is ${amount}, the movements say ${stock - sold}`,
      at: [],
    },
  ];
}

/** The balances of a buyer's cart without a movement of the buyer. */
const notSold = ({ final }: ScheduleHistory, { name, cart }: ScheduleActor): readonly string[] => {
  const own = final.movements.filter(({ request }) => request === name);
  return (cart ?? Object.keys(final.amounts)).filter(
    (wanted) => !own.some(({ balance }) => balance === wanted),
  );
};

function lostAcknowledged(history: ScheduleHistory): ScheduleViolation[] {
  return history.actors.flatMap((actor) => {
    const end = endOf(history, actor);
    const missing = notSold(history, actor);
    if (end?.code !== 'APPLIED' || missing.length === 0) return [];
    const what = actor.cart === undefined ? '' : ` of ${missing.join(', ')}`;
    return [
      {
        kind: 'lost-acknowledged' as const,
        sentence: `${actor.name} received APPLIED, but has no movement${what}`,
        at: [end.n],
      },
    ];
  });
}

/** Ends that do not state that nothing was sold. */
const MAY_HAVE_BOUGHT: ReadonlySet<string> = new Set(['APPLIED', 'OUTCOME_UNKNOWN', 'DIED']);

/** The answer states that nothing was sold, but there is a movement: the units belong to no order. */
function soldButRefused(history: ScheduleHistory): ScheduleViolation[] {
  return history.actors.flatMap((actor) => {
    const end = endOf(history, actor);
    const { name } = actor;
    const isSold = history.final.movements.some(({ request, delta }) => request === name && delta < 0);
    if (end === undefined || MAY_HAVE_BOUGHT.has(end.code) || !isSold) return [];
    return [
      {
        kind: 'orphan' as const,
        sentence: `${name} received ${end.code}, but has a movement`,
        at: [end.n],
      },
    ];
  });
}

/** Units that no buyer has ordered: each orders one of each balance of its cart. A buyer may have been served twice. */
function notOrdered({ actors, final }: ScheduleHistory): ScheduleViolation[] {
  const carts = new Map(actors.map(({ name, cart }) => [name, cart ?? Object.keys(final.amounts)]));
  const sales = final.movements.filter(({ delta }) => delta < 0);
  return [...groupBy(sales, ({ request, balance }) => `${request} ${balance}`).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { request, balance } = first;
    const units = own.reduce((sum, { delta }) => sum - delta, 0);
    const ordered = carts.get(request)?.filter((wanted) => wanted === balance).length ?? 0;
    if (units <= ordered) return [];
    return [
      {
        kind: 'orphan' as const,
        sentence: `${request} has movements of ${units} of ${balance}, and ordered ${ordered}`,
        at: [],
      },
    ];
  });
}

/** Carts sold in part: a cart must be sold whole or not at all. */
function tornCarts(history: ScheduleHistory): ScheduleViolation[] {
  return history.actors.flatMap((actor) => {
    const missing = notSold(history, actor);
    const { name, cart = [] } = actor;
    if (missing.length === 0 || missing.length >= cart.length) return [];
    const sold = cart.filter((balance) => !missing.includes(balance));
    return [
      {
        kind: 'torn-cart' as const,
        sentence: `${name}'s cart was torn: ${sold.join(', ')} sold, ${missing.join(', ')} not`,
        at: writeOf(history, name),
      },
    ];
  });
}

/** Refused as sold out although the sales leave enough units of every requested balance. */
function undersold(history: ScheduleHistory, balances: readonly Sales[]): ScheduleViolation[] {
  const refused = history.actors.flatMap((actor) => {
    const end = endOf(history, actor);
    const wanted = balances.filter(({ balance }) => actor.cart?.includes(balance) ?? true);
    const isLeft = wanted.every(({ sold, stock }) => sold < stock);
    return end?.code === 'STOCK.SOLD_OUT' && isLeft ? [{ end, left: wanted }] : [];
  });
  const [first] = refused;
  if (first === undefined) return [];
  const left = first.left.map(({ stock, sold, prefix }) => `${prefix}${stock - sold}`).join(', ');
  return [
    {
      kind: 'undersold',
      sentence: `${refused.map(({ end }) => end.actor).join(', ')} refused as sold out with ${left} left`,
      at: refused.map(({ end }) => end.n),
    },
  ];
}

/** Both sales started from the same value in the same row. */
const fromTheSame = (a: Sale, b: Sale): boolean => a.before === b.before && a.segment === b.segment;

const saleInWords = ({ request, before, after }: Sale): string => `${request} ${before} → ${after}`;

const endOf = ({ events }: ScheduleHistory, { name }: ScheduleActor): EndEvent | undefined =>
  events.find((event): event is EndEvent => event.type === 'end' && event.actor === name);

/** The position of an actor's last write. */
function writeOf({ events }: ScheduleHistory, actor: string): number[] {
  const write = events.findLast(
    (event): event is StepEvent => event.type === 'step' && event.actor === actor && event.verb === 'UPDATE',
  );
  return write === undefined ? [] : [write.n];
}
