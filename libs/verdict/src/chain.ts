/** A sale that a buyer was told of. Times are of one clock, in any unit: when it was asked for, and answered. */
export interface ConfirmedSale {
  readonly request: string;
  readonly before: number;
  readonly after: number;
  readonly asked: number;
  readonly answered: number;
}

/** Why the sales cannot have happened one after the other, in words, and the sales that show it. */
export interface Contradiction {
  readonly kind: 'not-a-sale' | 'sold-twice' | 'gap' | 'order' | 'final';
  readonly sentence: string;
  readonly requests: readonly string[];
}

/**
 * The exact check of a counter that only goes down: confirmed sales must form one chain from `initial` to `final`,
 * each remaining value sold once, without a gap, and a sale that was answered before another one was asked for must
 * stand before it (a linearizable decrement). Because every sale names the values that it saw, the chain's order is
 * known and no search is needed: sorting decides. Returns the first contradiction along the chain, or undefined.
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
      sentence: `${wrong.request} says ${wrong.before} → ${wrong.after}: that is no sale`,
      requests: [wrong.request],
    };
  const chain = sales.toSorted((a, b) => b.before - a.before || a.answered - b.answered);
  return checkLinks(initial, final, chain) ?? checkOrder(chain);
}

/**
 * The same for a balance that goes up and down, where the values alone do not say the order: `entries` come in the order in
 * which they were written, each in one transaction with its write, which is the order of that row's lock.
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
        sentence:
          `behind ${last === undefined ? 'the beginning' : last.request} the balance was ${value}, and ` +
          `${entry.request} (${span(entry)}) did not see that`,
        requests: [...(last === undefined ? [] : [last.request]), entry.request],
      };
    value = entry.after;
    last = entry;
  }
  if (value === final) return checkOrder(entries);
  return {
    kind: 'final',
    sentence: `the entries lead from ${initial} to ${value}, and the balance says ${final}`,
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
        sentence:
          `after ${last === undefined ? 'the beginning' : last.request} ${left} were left, and ${sale.request} ` +
          `found ${sale.before}`,
        requests: [...(last === undefined ? [] : [last.request]), sale.request],
      };
    left = sale.after;
    last = sale;
  }
  if (left === final) return undefined;
  return {
    kind: 'final',
    sentence: `the sales lead from ${initial} to ${left}, and the balance says ${final}`,
    requests: last === undefined ? [] : [last.request],
  };
}

/** Along the chain: nobody may have been answered before somebody further up the chain had asked. */
function checkOrder(chain: readonly ConfirmedSale[]): Contradiction | undefined {
  let latest: ConfirmedSale | undefined; // the one that asked last, of those so far
  for (const sale of chain) {
    if (latest !== undefined && sale.answered < latest.asked)
      return {
        kind: 'order',
        sentence:
          `${sale.request} (${span(sale)}) was answered before ${latest.request} (${span(latest)}) had asked, ` +
          `and yet it comes after it in the chain`,
        requests: [latest.request, sale.request],
      };
    if (latest === undefined || sale.asked > latest.asked) latest = sale;
  }
  return undefined;
}

const span = ({ before, after }: ConfirmedSale): string => `${before} → ${after}`;
