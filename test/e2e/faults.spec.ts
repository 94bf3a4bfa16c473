import type { FaultLine, HistoryLine } from '#lab/step';
import { eventually, expectProblem, openShop } from './support';

const shop = openShop('faults');

const fired = async (sku: string): Promise<FaultLine[]> =>
  (await shop().history(sku)).filter((line): line is FaultLine => line.type === 'fault');

/** What others than the process itself saw of the process that the fault hit. */
const seen = async (sku: string, type: HistoryLine['type']): Promise<HistoryLine[]> => {
  const [fault] = await fired(sku);
  const history = await shop().history(sku);
  // what stands still and goes on is also seen by the supervisor, if it looks in time: what the helper says is wanted
  const told = (line: HistoryLine): boolean =>
    (type !== 'stopped' && type !== 'resumed') || 'because' in line;
  return history.filter(
    (line) => line.type === type && line.pid === fault?.pid && line.t >= fault.t && told(line),
  );
};

const locks = async (sku: string) => (await shop().get(`/lab/inventory/locks/${sku}`, 'lab')).json;

describe('kill', () => {
  test('is a SIGKILL that the supervisor sees; the buyer is told that nobody knows; the replica comes back', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, query: 'strategy=setnx', fault: 'after(SETNX)=kill' });
    expectProblem(reply, 502, 'OUTCOME_UNKNOWN');
    const [fault] = await fired(sku);
    expect(fault).toMatchObject({
      fault: 'after(SETNX)=kill',
      action: 'kill',
      at: `SETNX lock:{${sku}}:setnx locked`,
    });
    await eventually('the supervisor saw it', async () => (await seen(sku, 'exit')).length === 1);
    expect(await seen(sku, 'exit')).toMatchObject([
      { replica: fault?.replica, signal: 'SIGKILL', asked: false },
    ]);
    await shop().stack.ready();
    const replica = await shop().replica(fault?.replica);
    expect(replica.state).toBe('up');
    expect(replica.pid).not.toBe(fault?.pid);
  });

  test('of the holder leaves no movement, no order, the stock as it was, and the lock', async () => {
    const sku = await shop().product(3);
    await shop().order({ sku, query: 'strategy=setnx', fault: 'after(SETNX)=kill' });
    await shop().stack.ready();
    expect(await shop().movements(sku)).toEqual([]);
    expect(await shop().orders(sku)).toEqual([]);
    expect(await shop().stock(sku)).toBe(3);
    expect(await locks(sku)).toEqual([{ key: `lock:{${sku}}:setnx`, value: 'locked', ttlMs: null }]);
    expectProblem(await shop().order({ sku, query: 'strategy=setnx&waitMs=50' }), 423, 'LOCK.NOT_OBTAINED');
  });

  test.each(['after(UPDATE)', 'after(INSERT)', 'before(COMMIT)'])(
    'at %s takes write and movement back, both or none',
    async (when) => {
      const sku = await shop().product(3);
      expectProblem(await shop().order({ sku, fault: `${when}=kill` }), 502, 'OUTCOME_UNKNOWN');
      await shop().stack.ready();
      expect(await shop().movements(sku)).toEqual([]);
      expect(await shop().stock(sku)).toBe(3);
    },
  );

  test('after the COMMIT keeps both, and the order is missing', async () => {
    const sku = await shop().product(3);
    expectProblem(await shop().order({ sku, fault: 'after(COMMIT)=kill' }), 502, 'OUTCOME_UNKNOWN');
    await shop().stack.ready();
    expect(await shop().movements(sku)).toMatchObject([{ before: 3, after: 2 }]);
    expect(await shop().stock(sku)).toBe(2);
    expect(await shop().orders(sku)).toEqual([]);
  });

  test('of the order app, between the deduction and the order, leaves the movement alone', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, fault: 'order:before(INSERT#2)=kill' });
    expectProblem(reply, 502, 'OUTCOME_UNKNOWN');
    await shop().stack.ready();
    expect(await fired(sku)).toMatchObject([{ replica: expect.stringMatching(/^order-/) as string }]);
    expect(await shop().movements(sku)).toHaveLength(1);
    expect(await shop().orders(sku)).toEqual([]);
  });
});

describe('pause', () => {
  test('stops the process for a while: a helper saw state T and resumed it, and the order is done', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, query: 'strategy=setnx', fault: 'before(DEL)=pause(300)' });
    expect(reply.status).toBe(201);
    expect(reply.tookMs).toBeGreaterThanOrEqual(300);
    const [stopped, resumed] = [...(await seen(sku, 'stopped')), ...(await seen(sku, 'resumed'))];
    expect([stopped, resumed]).toMatchObject([
      { because: 'its state is T' },
      { because: '300 ms have passed' },
    ]);
    expect((resumed?.t ?? 0) - (stopped?.t ?? 0)).toBeGreaterThan(200_000);
    expect(await locks(sku)).toEqual([]);
  });

  test('is dated to the stop: the process does nothing between the fault and the moment at which it is seen stopped', async () => {
    const sku = await shop().product(3);
    // renewals every 10 ms, as long as the process runs
    const query = 'strategy=watchdog&leaseMs=30';
    await shop().order({ sku, query, fault: 'before(UPDATE)=pause(300)' });
    const [fault] = await fired(sku);
    const [stopped] = await seen(sku, 'stopped');
    const between = (await shop().history(sku)).filter(
      ({ pid, t, type }) => pid === fault?.pid && t > fault.t && t < (stopped?.t ?? 0) && type !== 'stopped',
    );
    expect({ stopped: stopped?.type, between }).toEqual({ stopped: 'stopped', between: [] });
  });

  test('before a step means that the step has not been sent', async () => {
    const sku = await shop().product(3);
    const order = shop().order({ sku, query: 'strategy=setnx', fault: 'before(UPDATE)=pause(400)' });
    await eventually('it stands still', async () => (await seen(sku, 'stopped')).length === 1);
    expect(await shop().stock(sku)).toBe(3);
    expect(await locks(sku)).toHaveLength(1);
    expect((await order).status).toBe(201);
  });

  test('until somebody else has the lock: then the stale release hits a stranger', async () => {
    const sku = await shop().product(3);
    const query = 'strategy=token-checked&leaseMs=200&waitMs=5000';
    const first = shop().order({ sku, query, fault: 'before(DEL)=pause(lock-taken)' });
    await eventually('it stands still', async () => (await seen(sku, 'stopped')).length === 1);
    const second = await shop().order({ sku, query: `${query}&workMs=150` });
    expect([(await first).status, second.status]).toEqual([201, 201]);
    expect(await seen(sku, 'resumed')).toContainEqual(
      expect.objectContaining({ because: 'another client holds the lock' }),
    );
    const deleted = (await shop().history(sku)).filter((line) => line.type === 'step' && line.verb === 'DEL');
    expect(deleted).toMatchObject([{ reply: 1 }]); // the second had nothing left to delete, so it did not try
  });

  test('until somebody else has sold: then the stale write loses that sale', async () => {
    const sku = await shop().product(3);
    const query = 'strategy=none';
    const first = shop().order({ sku, query, fault: 'before(UPDATE)=pause(sale)' });
    await eventually('it stands still', async () => (await seen(sku, 'stopped')).length === 1);
    expect((await shop().order({ sku, query })).status).toBe(201);
    expect((await first).status).toBe(201);
    expect(await seen(sku, 'resumed')).toContainEqual(
      expect.objectContaining({ because: 'another request has sold' }),
    );
    expect((await shop().movements(sku)).map((row) => row['after'])).toEqual([2, 2]);
    expect(await shop().stock(sku)).toBe(2);
  });
});

test('block keeps the event loop busy: the whole replica answers nobody', async () => {
  const sku = await shop().product(3);
  const order = shop().order({ sku, fault: 'before(UPDATE)=block(600)' });
  await eventually('it fired', async () => (await fired(sku)).length === 1);
  const { url } = await shop().replica((await fired(sku))[0]?.replica);
  const asked = performance.now();
  await shop().send(`${url}/health/live`, 'GET', {});
  expect(performance.now() - asked).toBeGreaterThan(200);
  expect((await order).status).toBe(201);
});

test('delay holds up the one request only', async () => {
  const sku = await shop().product(3);
  const order = shop().order({ sku, fault: 'before(UPDATE)=delay(500)' });
  await eventually('it fired', async () => (await fired(sku)).length === 1);
  const { url } = await shop().replica((await fired(sku))[0]?.replica);
  const live = await shop().send(`${url}/health/live`, 'GET', {});
  expect(live.tookMs).toBeLessThan(300);
  expect((await order).tookMs).toBeGreaterThanOrEqual(500);
});

describe('lose-reply', () => {
  test('the lock was taken and the client does not know: nobody releases it', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, query: 'strategy=setnx', fault: 'after(SETNX)=lose-reply' });
    expectProblem(reply, 503, 'DEPENDENCY.DOWN');
    expect(reply.headers['retry-after']).toBe('1');
    expect(await locks(sku)).toHaveLength(1);
    expect(await shop().stock(sku)).toBe(3);
  });

  test('of the COMMIT is an outcome that nobody knows, not a reason to try again', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, fault: 'after(COMMIT)=lose-reply' });
    expectProblem(reply, 502, 'OUTCOME_UNKNOWN');
    expect(reply.headers).not.toHaveProperty('retry-after');
    expect(await shop().movements(sku)).toHaveLength(1);
  });

  test('of the release hides nothing: the buyer keeps the sale', async () => {
    const sku = await shop().product(3);
    const query = 'strategy=token-lua';
    const reply = await shop().order({ sku, query, fault: 'after(release-if-owner)=lose-reply' });
    expect(reply.status).toBe(201);
    expect(await fired(sku)).toHaveLength(1);
  });
});

describe('error', () => {
  test.each(['before(UPDATE)', 'before(COMMIT)', 'after(INSERT)'])(
    'at %s: 503, and neither write nor movement',
    async (when) => {
      const sku = await shop().product(3);
      const reply = await shop().order({ sku, fault: `${when}=error` });
      expectProblem(reply, 503, 'DEPENDENCY.DOWN');
      expect(reply.headers['retry-after']).toBe('1');
      expect(await shop().movements(sku)).toEqual([]);
      expect(await shop().stock(sku)).toBe(3);
    },
  );

  test('in the order app after the deduction: the buyer is told not to order again', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, fault: 'order:before(INSERT#2)=error' });
    expectProblem(reply, 502, 'OUTCOME_UNKNOWN');
    expect(reply.json['detail']).toContain('Do not order again');
    expect(await shop().movements(sku)).toHaveLength(1);
  });
});

describe('where a fault applies', () => {
  test('#n: the nth such step of the request', async () => {
    const sku = await shop().product(3);
    await shop().order({ sku, query: 'strategy=setnx', fault: 'after(SETNX)=lose-reply' });
    const fault = 'before(SETNX#3)=error';
    const reply = await shop().order({ sku, query: 'strategy=setnx&waitMs=3000', fault });
    expectProblem(reply, 503, 'DEPENDENCY.DOWN');
    const tries = (await shop().history(sku)).filter(
      (line) =>
        line.type === 'step' && line.verb === 'SETNX' && line.request === reply.headers['x-request-id'],
    );
    expect(tries).toMatchObject([{ reply: 0 }, { reply: 0 }]);
  });

  test('=reply: a loser instead of the winner', async () => {
    const sku = await shop().product(3);
    const fault = 'after(SETNX=0)=error';
    expect((await shop().order({ sku, query: 'strategy=setnx', fault })).status).toBe(201);
    expect(await fired(sku)).toEqual([]);
    await shop().order({ sku, query: 'strategy=setnx', fault: 'after(SETNX)=lose-reply' });
    expectProblem(await shop().order({ sku, query: 'strategy=setnx', fault }), 503, 'DEPENDENCY.DOWN');
  });

  test('it belongs to one request and fires once', async () => {
    const sku = await shop().product(9);
    await shop().order({ sku, fault: 'before(UPDATE)=error' });
    for (let i = 0; i < 4; i++) expect((await shop().order({ sku })).status).toBe(201);
    expect(await fired(sku)).toHaveLength(1);
  });

  test('several in one header all fire', async () => {
    const sku = await shop().product(9);
    const fault = 'before(SETNX)=delay(5); before(DEL)=delay(5); order:before(INSERT#2)=delay(5)';
    expect((await shop().order({ sku, query: 'strategy=setnx', fault })).status).toBe(201);
    expect((await fired(sku)).map(({ at }) => at.split(' ')[0])).toEqual(['SETNX', 'DEL', 'INSERT']);
  });

  test('a step that the strategy does not make is never hit', async () => {
    const sku = await shop().product(9);
    expect((await shop().order({ sku, query: 'strategy=none', fault: 'after(SETNX)=kill' })).status).toBe(
      201,
    );
    expect(await fired(sku)).toEqual([]);
  });
});
