import { SoldOut, UnknownBalance, type Change } from '#lab/balance';

const PREFIX = 'account:';
/** Id of an account's balance: the colon keeps it, and its keys in Redis, distinct from those of products. */
export const balanceOf = (account: string): string => `${PREFIX}${account}`;

/** A debit of more than the balance: an expected answer, not a failure. */
class InsufficientFunds extends Error {
  readonly code = 'ACCOUNT.INSUFFICIENT_FUNDS';

  constructor({ change, left }: SoldOut) {
    const account = change.balance.slice(PREFIX.length);
    super(
      `${account}: a debit of ${-change.delta} is more than the balance${left === undefined ? '' : ` of ${left}`}. Nothing was entered`,
    );
    this.name = 'InsufficientFunds';
  }
}

export class UnknownAccount extends Error {
  readonly code = 'ACCOUNT.UNKNOWN';

  constructor(account: string) {
    super(`there is no account "${account}": GET /accounts lists them`);
    this.name = 'UnknownAccount';
  }
}

/** The account already has this entry. Nothing was entered. */
export class AlreadyEntered extends Error {
  readonly code = 'ACCOUNT.ENTERED_BEFORE';

  constructor(change: Change) {
    const account = change.balance.slice(PREFIX.length);
    super(
      `${account} already has the entry ${change.request}: nothing was entered. GET /accounts/${account}/entries lists it`,
    );
    this.name = 'AlreadyEntered';
  }
}

/** The account has an entry with this id and another amount: the id is in use. Nothing was entered. */
export class OtherEntry extends Error {
  readonly code = 'ACCOUNT.OTHER_ENTRY';

  constructor(change: Change, amountMinor: number) {
    const account = change.balance.slice(PREFIX.length);
    super(
      `${account} already has an entry ${change.request} of ${amountMinor}, but this one is of ${change.delta}: nothing was entered. Send it with another X-Request-Id`,
    );
    this.name = 'OtherEntry';
  }
}

/** Translates a strategy's error about a balance into one about an account. */
export function inAccountWords(error: unknown): unknown {
  if (error instanceof SoldOut) return new InsufficientFunds(error);
  return error instanceof UnknownBalance ? new UnknownAccount(error.balance.slice(PREFIX.length)) : error;
}
