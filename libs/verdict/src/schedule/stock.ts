import type { EndEvent, FinalState, ScheduleActor, ScheduleHistory, StepEvent } from './history';
import type { ScheduleViolation } from './violation';

type Sale = FinalState['movements'][number];

/** One balance at the end: its committed sales, and what they come to. */
interface Account {
  readonly balance: string;
  readonly stock: number;
  readonly amount: number;
  readonly sales: readonly Sale[];
  readonly sold: number;
  /** The balance's name, where there are several. */
  readonly prefix: string;
}

/** What the committed movements and the final balances say: docs/design-notes.md, "How verdicts are defined". */
export function judgeStock(history: ScheduleHistory): ScheduleViolation[] {
  const accounts = accountsOf(history);
  return [
    ...accounts.flatMap((account) => oversold(history, account)),
    ...accounts.flatMap((account) => lostUpdates(history, account)),
    ...lostAcknowledged(history),
    ...soldButRefused(history),
    ...tornCarts(history),
    ...undersold(history, accounts),
    ...accounts.flatMap(vanished),
  ];
}

function accountsOf({ stock, final }: ScheduleHistory): Account[] {
  const amounts = Object.entries(final.amounts);
  return amounts.map(([balance, amount]) => {
    const sales = final.movements.filter((movement) => movement.balance === balance && movement.delta < 0);
    const sold = sales.reduce((units, { delta }) => units - delta, 0);
    return { balance, stock, amount, sales, sold, prefix: amounts.length > 1 ? `${balance}: ` : '' };
  });
}

function oversold(history: ScheduleHistory, { stock, sales, sold, prefix }: Account): ScheduleViolation[] {
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
  { stock, amount, sales, sold, prefix }: Account,
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

/** The balance has fallen by more than its movements say: units are gone that nobody has. */
function vanished({ stock, amount, sold, prefix }: Account): ScheduleViolation[] {
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

/** The balances of a buyer's cart that it has no movement of. */
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
        sentence: `${actor.name} was told that it had bought, and there is no movement of it${what}`,
        at: [end.n],
      },
    ];
  });
}

/** Ends that do not say "nothing was sold to you". */
const MAY_HAVE_BOUGHT: ReadonlySet<string> = new Set(['APPLIED', 'OUTCOME_UNKNOWN', 'DIED']);

/** Told that it had not bought, and there is a movement of it: nobody has asked for what is gone. */
function soldButRefused(history: ScheduleHistory): ScheduleViolation[] {
  return history.actors.flatMap((actor) => {
    const end = endOf(history, actor);
    const { name } = actor;
    const isSold = history.final.movements.some(({ request, delta }) => request === name && delta < 0);
    if (end === undefined || MAY_HAVE_BOUGHT.has(end.code) || !isSold) return [];
    return [
      {
        kind: 'orphan' as const,
        sentence: `${name} was told ${end.code}, and there is a movement of it`,
        at: [end.n],
      },
    ];
  });
}

/** A cart is sold whole or not at all. */
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

/** Refused as sold out although enough was left of everything at the end and nobody's sale is missing: stock leaked. */
function undersold(history: ScheduleHistory, accounts: readonly Account[]): ScheduleViolation[] {
  const refused = history.actors.flatMap((actor) => {
    const end = endOf(history, actor);
    const wanted = accounts.filter(({ balance }) => actor.cart?.includes(balance) ?? true);
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

/** Both have found the same value in the same place. */
const fromTheSame = (a: Sale, b: Sale): boolean => a.before === b.before && a.segment === b.segment;

const saleInWords = ({ request, before, after }: Sale): string => `${request} ${before} → ${after}`;

const endOf = ({ events }: ScheduleHistory, { name }: ScheduleActor): EndEvent | undefined =>
  events.find((event): event is EndEvent => event.type === 'end' && event.actor === name);

/** The position of an actor's last writing statement. */
function writeOf({ events }: ScheduleHistory, actor: string): number[] {
  const write = events.findLast(
    (event): event is StepEvent => event.type === 'step' && event.actor === actor && event.verb === 'UPDATE',
  );
  return write === undefined ? [] : [write.n];
}
