/** A confirmed sale. `asked` and `answered` are the times of request and response, on one clock, in any unit. */
export interface ConfirmedSale {
  readonly request: string;
  readonly before: number;
  readonly after: number;
  readonly asked: number;
  readonly answered: number;
}

/** Why no sequential order of the sales exists, and the requests that show it. */
export interface Contradiction {
  readonly kind: 'not-a-sale' | 'sold-twice' | 'gap' | 'order' | 'final';
  readonly sentence: string;
  readonly requests: readonly string[];
}

/**
 * Checks linearizability of a counter that only decreases. The confirmed sales must form one chain from `initial` to
 * `final`: each value is sold once, there is no gap, and a sale answered before another one was sent precedes it. Each
 * sale contains the values that it read and wrote, so sorting finds the order without a search. Returns the first
 * contradiction along the chain, or undefined.
 */
export function checkChain(
  initial: number,
  final: number,
  sales: readonly ConfirmedSale[],
): Contradiction | undefined {
  const wrong = sales.find(({ before, after }) => after >= before || after < 0);
  if (wrong !== undefined)
    return {
      kind: 'not-a-sale',
      sentence: `${wrong.request} changed the value ${wrong.before} → ${wrong.after}, which is not a sale`,
      requests: [wrong.request],
    };
  const chain = sales.toSorted((a, b) => b.before - a.before || a.answered - b.answered);
  return checkLinks(initial, final, chain) ?? checkOrder(chain);
}

/**
 * The same check for a balance that increases and decreases: the values do not determine the order. `entries` must be in
 * insertion order. Each is inserted in the transaction of its write, so this is the order in which the row was locked.
 */
export function checkBooks(
  initial: number,
  final: number,
  entries: readonly ConfirmedSale[],
): Contradiction | undefined {
  let value = initial;
  let last: ConfirmedSale | undefined;
  for (const entry of entries) {
    if (entry.before !== value)
      return {
        kind: 'gap',
        sentence: `the balance was ${value} ${after(last)}, but ${entry.request} read ${entry.before}`,
        requests: [...(last === undefined ? [] : [last.request]), entry.request],
      };
    value = entry.after;
    last = entry;
  }
  if (value === final) return checkOrder(entries);
  return {
    kind: 'final',
    sentence: `the entries change the balance from ${initial} to ${value}, but the balance is ${final}`,
    requests: last === undefined ? [] : [last.request],
  };
}

function checkLinks(
  initial: number,
  final: number,
  chain: readonly ConfirmedSale[],
): Contradiction | undefined {
  let left = initial;
  let last: ConfirmedSale | undefined;
  for (const sale of chain) {
    if (sale.before > left && last !== undefined)
      return {
        kind: 'sold-twice',
        sentence: `${last.request} (${span(last)}) and ${sale.request} (${span(sale)}) sold the same unit`,
        requests: [last.request, sale.request],
      };
    if (sale.before !== left)
      return {
        kind: 'gap',
        sentence: `the stock was ${left} ${after(last)}, but ${sale.request} read ${sale.before}`,
        requests: [...(last === undefined ? [] : [last.request]), sale.request],
      };
    left = sale.after;
    last = sale;
  }
  if (left === final) return undefined;
  return {
    kind: 'final',
    sentence: `the sales reduce the stock from ${initial} to ${left}, but the balance is ${final}`,
    requests: last === undefined ? [] : [last.request],
  };
}

/** Checks real time along the chain: no sale was answered before an earlier sale of the chain was sent. */
function checkOrder(chain: readonly ConfirmedSale[]): Contradiction | undefined {
  let latest: ConfirmedSale | undefined; // of the sales so far, the one sent last
  for (const sale of chain) {
    if (latest !== undefined && sale.answered < latest.asked)
      return {
        kind: 'order',
        sentence:
          `${sale.request} (${span(sale)}) was answered before ${latest.request} (${span(latest)}) was sent, ` +
          `but follows it in the chain`,
        requests: [latest.request, sale.request],
      };
    if (latest === undefined || sale.asked > latest.asked) latest = sale;
  }
  return undefined;
}

/** `after a`, or `at the start`. */
const after = (last: ConfirmedSale | undefined): string =>
  last === undefined ? 'at the start' : `after ${last.request}`;

const span = ({ before, after }: ConfirmedSale): string => `${before} → ${after}`;
