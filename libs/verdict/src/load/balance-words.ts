import { runsStrategies, type Evidence } from './evidence';

/** What a balance is: the stock of a product, or the money of an account. */
export type BalanceKind = 'stock' | 'account';

/** The words for a balance and its movements. */
export interface BalanceWords {
  /** The quantity itself. */
  readonly balance: string;
  /** What a movement did to its units, as a participle. */
  readonly moved: string;
  readonly movement: string;
  readonly movements: string;
  /** More was taken than there was, as a participle. */
  readonly overtaken: string;
  /** What a client has of a movement. */
  readonly order: string;
  readonly anOrder: string;
}

const SALES: BalanceWords = {
  balance: 'stock',
  moved: 'sold',
  movement: 'sale',
  movements: 'sales',
  overtaken: 'oversold',
  order: 'order',
  anOrder: 'an order',
};
const DEBITS: BalanceWords = {
  balance: 'balance',
  moved: 'debited',
  movement: 'entry',
  movements: 'entries',
  overtaken: 'overdrawn',
  order: 'confirmation',
  anOrder: 'a confirmation',
};
const CREDITS: BalanceWords = { ...DEBITS, moved: 'entered' };

/** The words for a balance of this kind. `credits`: its movements add units. */
export const balanceWords = (kind: BalanceKind, credits: boolean): BalanceWords =>
  kind === 'stock' ? SALES : credits ? CREDITS : DEBITS;

/** The words for a judged balance: units taken are positive. */
export const wordsOf = ({ kind, sold }: { kind: BalanceKind; sold: number }): BalanceWords =>
  balanceWords(kind, sold < 0);

/** The kind of the balance, by the app that served its requests. */
export const kindOf = ({ history }: Pick<Evidence, 'history'>): BalanceKind =>
  history.some((line) => line.type === 'request' && runsStrategies(line) && line.app === 'account')
    ? 'account'
    : 'stock';
