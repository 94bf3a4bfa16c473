import type { HistoryLine } from '#lab/step';
import { leavesOutcomeOpen, type BalanceKind, type ClientAnswer, type Evidence } from '#lab/verdict';
import type { Target } from '../run';
import type { BalanceSales } from './buyer-pool';

/** The part of the lab that has the balances of a kind. */
export const targetOf = (target: Target, kind: BalanceKind): Target =>
  kind === 'account' ? target.accounts : target;

/** The name of a balance in the history: the account app prefixes its own, so that no product has the same lock keys. */
const inHistory = ({ kind, balance }: Pick<BalanceSales, 'kind' | 'balance'>): string =>
  kind === 'account' ? `account:${balance}` : balance;

/** Reads the rows of a balance at rest. */
export async function gather(
  lab: Target,
  sales: BalanceSales,
  histories: ReadonlyMap<string, readonly HistoryLine[]>,
): Promise<Evidence> {
  const { kind, balance, strategy, stock, answers } = sales;
  const target = targetOf(lab, kind);
  const [{ amount }, movements, segments, locks] = await Promise.all([
    target.balance(balance),
    target.movements(balance),
    target.segments(balance),
    target.locks(balance),
  ]);
  return {
    balance,
    strategy,
    replicas: 2,
    faults: [],
    initial: stock,
    finalStock: amount,
    movements,
    segments,
    orders: kind === 'stock' ? await target.orders(balance) : confirmedEntries(answers, movements),
    locks,
    history: histories.get(inHistory(sales)) ?? [],
    answers,
  };
}

/**
 * An account has no orders: an entry is confirmed by its answer. If the answer leaves open whether it was made, the data
 * decides.
 */
export function confirmedEntries(
  answers: readonly ClientAnswer[],
  movements: readonly { readonly request: string }[],
): readonly { readonly request: string }[] {
  const open = new Set(answers.filter(({ code }) => leavesOutcomeOpen(code)).map(({ request }) => request));
  return [
    ...answers.filter(({ code }) => code === 'APPLIED'),
    ...movements.filter(({ request }) => open.has(request)),
  ].map(({ request }) => ({ request }));
}
