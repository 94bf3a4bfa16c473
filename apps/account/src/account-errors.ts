import { SoldOut, UnknownBalance, type Change } from '#lab/balance';

const PREFIX = 'account:';
/** The balance of an account: no product is called so, and what the two keep in Redis never meets. */
export const balanceOf = (account: string): string => `${PREFIX}${account}`;

/** A debit of more than there is: an answer, not a failure. */
class InsufficientFunds extends Error {
  readonly code = 'ACCOUNT.INSUFFICIENT_FUNDS';

  constructor({ change, left }: SoldOut) {
    const account = change.balance.slice(PREFIX.length);
    super(
      `${account}: a debit of ${-change.delta} is more than ${left === undefined ? 'there is' : `the balance of ${left}`}. Nothing was entered`,
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

/** The account has this very entry. Nothing was entered. */
export class AlreadyEntered extends Error {
  readonly code = 'ACCOUNT.ENTERED_BEFORE';

  constructor(change: Change) {
    const account = change.balance.slice(PREFIX.length);
    super(
      `${account} has an entry ${change.request}: nothing was entered now. GET /accounts/${account}/entries has it`,
    );
    this.name = 'AlreadyEntered';
  }
}

/** The account has an entry of this id, of another amount: the id was used for something else. Nothing was entered. */
export class OtherEntry extends Error {
  readonly code = 'ACCOUNT.OTHER_ENTRY';

  constructor(change: Change, amountMinor: number) {
    const account = change.balance.slice(PREFIX.length);
    super(
      `${account} has an entry ${change.request} of ${amountMinor}, and this one is of ${change.delta}: nothing was entered. Send it with another X-Request-Id`,
    );
    this.name = 'OtherEntry';
  }
}

/** What a strategy says of a balance, in the words of an account. */
export function inAccountWords(error: unknown): unknown {
  if (error instanceof SoldOut) return new InsufficientFunds(error);
  return error instanceof UnknownBalance ? new UnknownAccount(error.balance.slice(PREFIX.length)) : error;
}
