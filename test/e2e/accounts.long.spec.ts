import { request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { accountsOf } from './accounts';
import { eventually, expectProblem, openShop } from './support';

const shop = openShop('accounts', { replicas: { order: 1, inventory: 0, account: 2 } });

const { account, lab, enter, accountSummary, entries, pending } = accountsOf(shop);

interface Import {
  readonly status: number;
  readonly type: string;
  readonly reports: Record<string, unknown>[];
  readonly last: Record<string, unknown>;
}

/**
 * The status of an import that announces so many bytes and sends none: the answer to a body that is too large would be
 * lost when the connection is closed while the body is still being sent.
 */
function statusOfAnnounced(bytes: number, path: string): Promise<number | undefined> {
  const headers = { 'content-type': 'application/x-ndjson', 'content-length': bytes };
  const sent = httpRequest(`${shop().url('public')}${path}`, { method: 'POST', headers });
  sent.flushHeaders();
  return new Promise<number | undefined>((resolve, reject) => {
    sent.once('error', reject).once('response', ({ statusCode }) => {
      resolve(statusCode);
    });
  }).finally(() => sent.on('error', () => undefined).destroy());
}

async function send(
  id: string,
  batch: string,
  body: string | AsyncIterable<string>,
  query = '',
  at: 'public' | 'lab' = 'public',
  fault?: string,
): Promise<Import> {
  const {
    statusCode,
    headers,
    body: answer,
  } = await request(`${shop().url(at)}/accounts/${id}/imports?batch=${batch}&${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...(fault !== undefined && { 'x-fault': fault }) },
    body: body as string,
  });
  const reports = (await answer.text())
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    status: statusCode,
    type: String(headers['content-type']),
    reports,
    last: reports.at(-1) ?? {},
  };
}

/** Sends the batch until no other request is at work on it. */
async function sendWhenFree(id: string, batch: string, body: string): Promise<Import> {
  let reply = await send(id, batch, body);
  await eventually(
    'the batch is free',
    async () => reply.status !== 409 || (reply = await send(id, batch, body)).status !== 409,
  );
  return reply;
}

const lines = (amounts: readonly number[]): string =>
  amounts.map((amountMinor) => `${JSON.stringify({ amountMinor, text: 'table' })}\n`).join('');

describe('an entry', () => {
  test('changes the balance and is recorded with its text', async () => {
    const id = await account(100);
    const { status, json } = await enter(id, { amountMinor: 250, text: 'Zoë 王' }, '', {
      'x-request-id': 'e-1',
    });
    expect({ status, json }).toMatchObject({
      status: 201,
      json: {
        account: id,
        entry: 'e-1',
        amountMinor: 250,
        beforeMinor: 100,
        afterMinor: 350,
        text: 'Zoë 王',
      },
    });
    expect((await enter(id, { amountMinor: -50 })).status).toBe(201);
    expect(await entries(id)).toMatchObject([
      {
        entry: 'e-1',
        amountMinor: 250,
        beforeMinor: 100,
        afterMinor: 350,
        text: 'Zoë 王',
        replica: json['replica'],
      },
      { amountMinor: -50, beforeMinor: 350, afterMinor: 300, text: null, strategy: 'conditional-update' },
    ]);
    expect(await accountSummary(id)).toEqual({
      id,
      name: id,
      balanceMinor: 300,
      openingMinor: 100,
      entries: 2,
      entriesMinor: 200,
      agrees: true,
    });
    expect(await shop().list('/accounts')).toContainEqual(await accountSummary(id));
    expect(await shop().list(`/accounts/${id}/entries?limit=1`)).toHaveLength(1);
  });

  test('that exceeds the balance is refused and changes nothing', async () => {
    const id = await account(5);
    expectProblem(await enter(id, { amountMinor: -6, text: 'too much' }), 409, 'ACCOUNT.INSUFFICIENT_FUNDS');
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 5, entries: 0, agrees: true });
  });

  test('is applied once: a second one with the same id changes nothing', async () => {
    const id = await account();
    const headers = { 'x-request-id': 'twice' };
    expect((await enter(id, { amountMinor: 7 }, '', headers)).status).toBe(201);
    expectProblem(
      await enter(id, { amountMinor: 7 }, 'strategy=none', headers),
      409,
      'ACCOUNT.ENTERED_BEFORE',
    );
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 7, entries: 1, agrees: true });
  });

  test.each(['conditional-update', 'segmented', 'redis-decr', 'fenced', 'single-writer'])(
    '%s: a different entry with the same id is refused as different and changes nothing',
    async (strategy) => {
      const id = await account(20);
      const headers = { 'x-request-id': 'reused' };
      const query = `strategy=${strategy}`;
      expect((await enter(id, { amountMinor: -7 }, query, headers)).status).toBe(201);
      const first = await entries(id);
      const other = await enter(id, { amountMinor: 2, text: 'other' }, query, headers);
      expectProblem(other, 409, 'ACCOUNT.OTHER_ENTRY');
      const same = await enter(id, { amountMinor: -7, text: 'other' }, query, headers);
      expectProblem(same, 409, 'ACCOUNT.ENTERED_BEFORE');
      expect(await entries(id)).toEqual(first); // nor is the text of the refused entries recorded
      expect(await accountSummary(id)).toMatchObject({ balanceMinor: 13, agrees: true });
    },
  );

  test.each([
    'none',
    'local-mutex',
    'token-lua',
    'segmented',
    'redis-decr',
    'single-writer',
    'fenced',
    'optimistic',
  ])('succeeds under %s in both directions and leaves no lock', async (strategy) => {
    const id = await account();
    for (const amountMinor of [3, -2]) {
      const { status, json } = await enter(id, { amountMinor }, `strategy=${strategy}`);
      expect({ status, strategy: json['strategy'] }).toEqual({ status: 201, strategy });
    }
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 1, entries: 2, agrees: true });
    expect((await shop().get(`/lab/account/locks/${id}`, 'lab')).json).toEqual([]);
  });

  test('of an account uses a balance separate from a product of the same name', async () => {
    const id = await account(4);
    expect((await lab('reset', { account: 'spec-1', balanceMinor: 4 })).status).toBe(200);
    await enter(id, { amountMinor: -1 }, 'strategy=redis-decr');
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 3 });
    expect((await shop().get(`/lab/account/movements/${id}`, 'lab')).json).toMatchObject([
      { balance: `account:${id}` },
    ]);
  });
});

test.each([
  ['none', (final: number) => final < 10],
  ['for-update-late', (final: number) => final < 10],
  ['for-update', (final: number) => final === 10],
  ['optimistic', (final: number) => final === 10],
  ['conditional-update', (final: number) => final === 10],
  ['fenced', (final: number) => final === 10],
])(
  '%s: ten concurrent entries of one unit to an empty account, over two replicas',
  async (strategy, isRight) => {
    const id = await account();
    const query = `strategy=${strategy}&workMs=50&waitMs=20000&attempts=100`;
    const replies = await Promise.all(Array.from({ length: 10 }, () => enter(id, { amountMinor: 1 }, query)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    expect([...new Set(replies.map(({ headers }) => headers['x-replica']))].sort()).toEqual([
      'account-1',
      'account-2',
    ]);
    const { balanceMinor, entries: count, entriesMinor, agrees } = await accountSummary(id);
    expect([count, entriesMinor]).toEqual([10, 10]);
    expect([balanceMinor, isRight(Number(balanceMinor))]).toEqual([balanceMinor, true]);
    expect(agrees).toBe(balanceMinor === 10);
  },
);

describe('an import', () => {
  test('enters every line in order, reports progress, and ends with a summary', async () => {
    const id = await account();
    const amounts = Array.from({ length: 1200 }, (_, i) => (i % 3 === 2 ? -1 : 2));
    const { status, type, reports, last } = await send(id, 'night', lines(amounts));
    expect([status, type]).toEqual([200, 'application/x-ndjson']);
    const balanceMinor = amounts.reduce((sum, amount) => sum + amount, 0);
    const counts = { lines: 1200, applied: 1200, alreadyApplied: 0, refused: 0, invalid: 0 };
    expect(last).toEqual({
      type: 'summary',
      account: id,
      batch: 'night',
      ...counts,
      balanceMinor,
      agrees: true,
    });
    expect(reports.filter((report) => report['type'] === 'progress').length).toBeGreaterThanOrEqual(12);
    const rows = await shop().list(`/accounts/${id}/entries?limit=10000`);
    expect(rows.map((row) => row['amountMinor'])).toEqual(amounts);
    expect(rows.slice(0, 2)).toMatchObject([
      { entry: 'night:1', text: 'table' },
      { entry: 'night:2', text: 'table' },
    ]);
  });

  describe('with a fault', () => {
    const fault = 'account:before(UPDATE)=error';

    test('fires in the first line that reaches its step; a second import enters what is missing', async () => {
      const id = await account();
      const body = lines([-100, 5, 7]); // the first line is refused before its UPDATE
      const { reports, last } = await send(id, 'faulty', body, 'strategy=for-update', 'lab', fault);
      const errors = reports.filter((report) => report['type'] === 'error');
      expect(errors.map(({ line, code }) => [line, code])).toEqual([
        [1, 'ACCOUNT.INSUFFICIENT_FUNDS'],
        [2, 'DEPENDENCY.DOWN'],
      ]);
      expect(last).toMatchObject({ type: 'summary', applied: 1, refused: 2, balanceMinor: 7 });
      expect(last).not.toHaveProperty('faultsNotFired');
      const again = await send(id, 'faulty', body, 'strategy=for-update');
      expect(again.last).toMatchObject({ applied: 1, alreadyApplied: 1, refused: 1, balanceMinor: 12 });
    });

    test('that kills the replica leaves each line entered once after a second import', async () => {
      const id = await account();
      const body = lines([1, 2, 3]);
      await send(id, 'killed', body, '', 'lab', 'account:before(COMMIT)=kill').catch(() => undefined);
      await shop().stack.ready();
      await eventually('the batch is entered', async () => (await send(id, 'killed', body)).status === 200);
      expect(await accountSummary(id)).toMatchObject({ balanceMinor: 6, entries: 3, agrees: true });
    });

    test('that no line has reached is named in the summary', async () => {
      const id = await account();
      const { last } = await send(id, 'unmet', lines([1]), '', 'lab', `account:after(SETNX)=kill; ${fault}`);
      expect(last).toMatchObject({ applied: 0, refused: 1, faultsNotFired: ['account:after(SETNX)=kill'] });
    });
  });

  test('names the invalid lines and continues with the others', async () => {
    const id = await account();
    const body = [
      '{"amountMinor":5}',
      '{"amountMinor":0}',
      'nonsense',
      '',
      '{"amountMinor":1.5}',
      '{"amountMinor":-100}',
      `{"amountMinor":1,"text":"${'x'.repeat(2000)}"}`,
      '{"amountMinor":1,"note":"?"}',
      '{"amountMinor":9}',
    ].join('\n');
    const { reports, last } = await send(id, 'mixed', body);
    const errors = reports.filter((report) => report['type'] === 'error');
    expect(errors.map(({ line, code }) => [line, code])).toEqual([
      [2, 'REQUEST.INVALID'],
      [3, 'REQUEST.INVALID'],
      [5, 'REQUEST.INVALID'],
      [6, 'ACCOUNT.INSUFFICIENT_FUNDS'],
      [7, 'REQUEST.INVALID'],
      [8, 'REQUEST.INVALID'],
    ]);
    for (const { detail } of errors) expect(String(detail)).not.toBe('');
    expect(last).toMatchObject({
      lines: 8,
      applied: 2,
      refused: 1,
      invalid: 5,
      balanceMinor: 14,
      agrees: true,
    });
  });

  test('repeated enters only what is missing; other content under the same id is refused and changes nothing', async () => {
    const id = await account();
    const body = lines([1, -5, 2]);
    expect((await send(id, 'b', body)).last).toMatchObject({ applied: 2, refused: 1, balanceMinor: 3 });
    await enter(id, { amountMinor: 10 });
    const before = await entries(id);
    for (const other of [lines([1, -5, 3]), lines([1, -5, 2, 2]), lines([1, -5]), '']) {
      const { status, last } = await send(id, 'b', other);
      expect([status, last['code']]).toEqual([422, 'IMPORT.OTHER_CONTENT']);
    }
    expect(await entries(id)).toEqual(before);
    const counts = { lines: 3, alreadyApplied: 2, refused: 0, invalid: 0 };
    expect((await send(id, 'b', body)).last).toMatchObject({ ...counts, applied: 1, balanceMinor: 8 });
    expect((await send(id, 'b', body)).last).toMatchObject({
      alreadyApplied: 3,
      applied: 0,
      balanceMinor: 8,
    });
  });

  test('sent twice concurrently runs once, and every line is entered once', async () => {
    const id = await account();
    const body = lines(Array.from({ length: 100 }, () => 1));
    const both = await Promise.all([
      send(id, 'same', body, 'workMs=20'),
      send(id, 'same', body, 'workMs=20'),
    ]);
    expect(both.map(({ status, last }) => [status, last['code']]).sort()).toEqual([
      [200, undefined],
      [409, 'IMPORT.RUNNING'],
    ]);
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 100, entries: 100, agrees: true });
  });

  test('stops when its client disconnects; sent again, it is completed', async () => {
    const id = await account();
    const body = lines(Array.from({ length: 2000 }, () => 1));
    const url = `${shop().url('public')}/accounts/${id}/imports?batch=cut&workMs=2`;
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    });
    for await (const chunk of answer.body as AsyncIterable<Buffer>) if (chunk.includes('progress')) break; // and disconnects
    const { last } = await sendWhenFree(id, 'cut', body);
    const cut = Number(last['alreadyApplied']);
    expect(cut).toBeGreaterThan(0);
    expect(cut).toBeLessThan(2000);
    expect(last).toMatchObject({ applied: 2000 - cut, balanceMinor: 2000, agrees: true });
  });

  test('cut off during the upload enters nothing and can be sent again', async () => {
    const id = await account();
    async function* halfUpload(): AsyncGenerator<string> {
      yield lines(Array.from({ length: 700 }, () => 1));
      await delay(200);
      throw new Error('the connection is lost');
    }
    await expect(send(id, 'torn', halfUpload())).rejects.toThrow();
    expect((await sendWhenFree(id, 'torn', lines([1, 2, 3]))).status).toBe(200);
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 6, entries: 3 });
  });

  test('whose replica is killed in the middle is sent again, and every line is entered once', async () => {
    const id = await account();
    const body = lines(Array.from({ length: 300 }, () => 1));
    const first = send(id, 'killed', body, 'workMs=50').catch(() => undefined);
    await eventually(
      'some lines are entered',
      async () => Number((await accountSummary(id))['entries']) > 20,
    );
    const [{ replica }] = (await entries(id)) as [{ replica: string }];
    await shop().stack.kill(replica);
    await first;
    await shop().stack.ready();
    const after = Number((await accountSummary(id))['entries']);
    expect(after).toBeLessThan(300);
    expect((await sendWhenFree(id, 'killed', body)).last).toMatchObject({
      alreadyApplied: after,
      applied: 300 - after,
      balanceMinor: 300,
      agrees: true,
    });
  });

  test('that is too long or malformed is refused as a whole', async () => {
    const id = await account();
    const before = await shop().list('/accounts');
    const tooLong = await send(id, 'long', lines(Array.from({ length: 10_001 }, () => 1)));
    expect([tooLong.status, tooLong.last['code']]).toEqual([413, 'REQUEST.TOO_LARGE']);
    expect(await statusOfAnnounced(17 * 1024 * 1024, `/accounts/${id}/imports?batch=wide`)).toBe(413);
    const url = `${shop().url('public')}/accounts`;
    const ndjson = { 'content-type': 'application/x-ndjson' };
    const valid = { body: lines([1]), headers: ndjson };
    expectProblem(await shop().post(`${url}/unknown/imports?batch=b`, valid), 404, 'ACCOUNT.UNKNOWN');
    expectProblem(await shop().post(`${url}/${id}/imports`, valid), 400, 'REQUEST.INVALID');
    expectProblem(await shop().post(`${url}/${id}/imports?batch=a/b`, valid), 400, 'REQUEST.INVALID');
    expectProblem(
      await shop().post(`${url}/${id}/imports?batch=b&workMs=101`, valid),
      400,
      'REQUEST.INVALID',
    );
    expectProblem(
      await shop().post(`${url}/${id}/imports?batch=b&strategy=no`, valid),
      400,
      'STRATEGY.UNKNOWN',
    );
    expectProblem(await shop().post(`${url}/${id}/imports?batch=b`, { body: {} }), 415, 'REQUEST.MEDIA_TYPE');
    expectProblem(await shop().post(`${url}/${id}/entries`, valid), 415, 'REQUEST.MEDIA_TYPE');
    expect(await shop().list('/accounts')).toEqual(before);
  });
});

test('bad input is refused with a problem document and changes nothing', async () => {
  const id = await account(5);
  const before = await shop().list('/accounts');
  const bodies = [
    {},
    { amountMinor: 0 },
    { amountMinor: 1.5 },
    { amountMinor: '1' },
    { amountMinor: 2_000_000_000 },
  ];
  for (const body of [
    ...bodies,
    { amountMinor: 1, text: '' },
    { amountMinor: 1, more: 1 },
    { amountMinor: 1, text: 'a\u0000' },
  ])
    for (const path of ['entries', 'pending'])
      expectProblem(
        await shop().post(`${shop().url('public')}/accounts/${id}/${path}`, { body }),
        400,
        'REQUEST.INVALID',
      );
  expectProblem(await enter('unknown', { amountMinor: 1 }), 404, 'ACCOUNT.UNKNOWN');
  expectProblem(await enter(id, { amountMinor: 1 }, 'strategy=nothing'), 400, 'STRATEGY.UNKNOWN');
  expectProblem(await enter(id, { amountMinor: 1 }, 'workMs=99999'), 400, 'REQUEST.INVALID');
  expectProblem(await shop().get('/accounts/unknown'), 404, 'ACCOUNT.UNKNOWN');
  expectProblem(await shop().get('/accounts/unknown/entries'), 404, 'ACCOUNT.UNKNOWN');
  expectProblem(await shop().get(`/accounts/${id}/entries?limit=0`), 400, 'REQUEST.INVALID');
  expectProblem(await shop().get(`/accounts/${'x'.repeat(49)}`), 400, 'REQUEST.INVALID');
  for (const path of ['reset', 'scan', 'reconcile'])
    expectProblem(await lab(path, { nothing: 1 }), 400, 'REQUEST.INVALID');
  expect(await shop().list('/accounts')).toEqual(before);
});

describe('an x-fault that could not fire is refused before any work', () => {
  const unsupported = async (method: string, path: string, fault: string, body?: string): Promise<void> => {
    const headers = { 'x-fault': fault, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const reply = await shop().send(`${shop().url('lab')}${path}`, method, {
      headers,
      ...(body !== undefined && { body }),
    });
    expectProblem(reply, 400, 'FAULT.UNSUPPORTED');
  };

  test('a fault of an app that the request does not call', async () => {
    const id = await account();
    await unsupported('POST', `/accounts/${id}/entries`, 'before(UPDATE)=error', '{"amountMinor":1}');
    await unsupported('POST', '/lab/account/scan/run', 'order:before(INSERT)=error', '{}');
    await unsupported(
      'POST',
      '/orders',
      'account:before(UPDATE)=error',
      '{"sku":"phone","quantity":1,"buyer":"ann"}',
    );
    const batch = await send(id, 'elsewhere', lines([1]), '', 'lab', 'before(UPDATE)=error');
    expect([batch.status, batch.last['code']]).toEqual([400, 'FAULT.UNSUPPORTED']);
    expect(batch.last['detail']).toContain('Write account:before(UPDATE)=error');
    expect(await accountSummary(id)).toMatchObject({ balanceMinor: 0, entries: 0 });
  });

  test('a fault at an endpoint that accepts none', async () => {
    const id = await account();
    const fault = 'account:before(INSERT)=error';
    await unsupported('POST', `/accounts/${id}/pending`, fault, '{"amountMinor":1}');
    await unsupported('POST', '/lab/account/reset', fault, `{"account":"${id}","balanceMinor":1}`);
    await unsupported('GET', `/accounts/${id}`, fault);
    await unsupported('GET', '/orders', fault);
    await unsupported('GET', `/lab/account/history/${id}`, fault);
    expect(await pending(id)).toEqual([]);
  });
});

test('the public address has no lab endpoints and refuses faults', async () => {
  const id = await account();
  const url = shop().url('public');
  expectProblem(
    await shop().post(`${url}/lab/account/reset`, { body: { account: id, balanceMinor: 9 } }),
    404,
    'REQUEST.NOT_FOUND',
  );
  expectProblem(await shop().get(`/lab/account/locks/${id}`), 404, 'REQUEST.NOT_FOUND');
  const fault = { 'x-fault': 'account:after(COMMIT)=kill' };
  expectProblem(await enter(id, { amountMinor: 1 }, '', fault), 403, 'FAULT.DISABLED');
  expect(await accountSummary(id)).toMatchObject({ entries: 0 });
});

test('OpenAPI lists every endpoint', async () => {
  const { url } = await shop().replica('account-1');
  const { json } = await shop().send(`${url}/docs-json`, 'GET', {});
  expect(Object.keys(json['paths'] as object)).toEqual(
    expect.arrayContaining([
      '/accounts',
      '/accounts/{id}',
      '/accounts/{id}/entries',
      '/accounts/{id}/pending',
      '/accounts/{id}/imports',
      '/health/ready',
      '/lab/account/reset',
      '/lab/account/reconcile',
      '/lab/account/scan',
      '/lab/account/scan/run',
      '/lab/account/locks/{id}',
      '/lab/account/movements/{id}',
      '/lab/account/segments/{id}',
      '/lab/account/history/{id}',
    ]),
  );
});
