import type { Reply, Shop } from './support';

type Rows = Promise<Record<string, unknown>[]>;

interface Accounts {
  /** Creates an account for one test. */
  readonly account: (balanceMinor?: number) => Promise<string>;
  readonly lab: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;
  readonly enter: (
    id: string,
    body: unknown,
    query?: string,
    headers?: Record<string, string>,
  ) => Promise<Reply>;
  readonly accountSummary: (id: string) => Promise<Record<string, unknown>>;
  readonly entries: (id: string) => Rows;
  readonly pending: (id: string) => Rows;
}

/** Requests to the account app. */
export function accountsOf(shop: () => Shop): Accounts {
  let accounts = 0;
  const lab: Accounts['lab'] = (path, body = {}, headers = {}) =>
    shop().post(`${shop().url('lab')}/lab/account/${path}`, { body, headers });
  return {
    lab,
    account: async (balanceMinor = 0) => {
      const id = `spec-${++accounts}`;
      expect((await lab('reset', { account: id, balanceMinor })).status).toBe(200);
      return id;
    },
    enter: (id, body, query = '', headers = {}) =>
      shop().post(`${shop().url('public')}/accounts/${id}/entries?${query}`, { body, headers }),
    accountSummary: async (id) => (await shop().get(`/accounts/${id}`)).json,
    entries: (id) => shop().list(`/accounts/${id}/entries`),
    pending: (id) => shop().list(`/accounts/${id}/pending`),
  };
}
