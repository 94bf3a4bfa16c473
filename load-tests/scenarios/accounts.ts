import { scenario, type Scenario } from './scenario';

/** Ten concurrent requests credit an empty account with one each. */
const ten = { balance: 'hot', amountMinor: 1, stock: 0, requests: 10, connections: 10 };
/** Long enough that no request gives up: the last one waits for nine others. */
const options = { workMs: 50, waitMs: 20_000, attempts: 100 };
const atOnce = 'ten concurrent requests, each with 50 ms of work between reading and writing';

/** Entries, an import and the scans of both replicas, concurrently. */
const everything = {
  balance: 'hot',
  amountMinor: 1,
  stock: 0,
  requests: 60,
  connections: 6,
  beside: { importLines: 60, pending: 60 },
};
const meet = '60 entries, an import of 60 lines and 60 pending entries, 5 ms of work each';

/** The account that does not balance, as in the articles. Each row has the same result in every run. */
export const ACCOUNTS: readonly Scenario[] = [
  scenario(
    'account-none',
    'ten times +1 from 0: less than 10',
    { strategy: 'none', ...ten, options },
    atOnce,
  ),
  scenario(
    'account-for-update-late',
    'ten times +1, the row is locked after the read: less than 10',
    { strategy: 'for-update-late', ...ten, options },
    atOnce,
  ),
  scenario('account-for-update', 'ten times +1: exactly 10', { strategy: 'for-update', ...ten, options }),
  scenario(
    'account-mixed',
    'ten times +1, every second one by a system that does not lock the row: less than 10',
    {
      strategy: 'for-update',
      ...ten,
      options,
      mixedWith: { strategy: 'none', expected: { must: ['lost-update'], may: [] } },
    },
    atOnce,
  ),
  scenario('account-optimistic', 'ten times +1, with retries: exactly 10', {
    strategy: 'optimistic',
    ...ten,
    options,
  }),
  scenario('account-conditional-update', 'ten times +1: exactly 10', {
    strategy: 'conditional-update',
    ...ten,
    options,
  }),
  scenario('account-fenced', 'ten times +1: exactly 10', { strategy: 'fenced', ...ten, options }),
  scenario(
    'account-hot-none',
    'entries, an import and the scan on one account: it does not balance',
    { strategy: 'none', ...everything, options: { workMs: 5 } },
    meet,
  ),
  scenario('account-hot-for-update', 'entries, an import and the scan on one account: exact', {
    strategy: 'for-update',
    ...everything,
    options: { workMs: 5 },
  }),
];
