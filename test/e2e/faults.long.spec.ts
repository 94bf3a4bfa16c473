import type { FaultLine, HistoryLine } from '#lab/step';
import { eventually, expectProblem, openShop, UNRECORDED, type Reply } from './support';

const shop = openShop('faults', { environment: { LONGEST_PAUSE_MS: '60000' } });

const fired = async (sku: string): Promise<FaultLine[]> =>
  (await shop().history(sku)).filter((line): line is FaultLine => line.type === 'fault');

/** The lines that other processes recorded about the process that the fault hit. */
const observed = async (sku: string, type: HistoryLine['type']): Promise<HistoryLine[]> => {
  const [fault] = await fired(sku);
  const history = await shop().history(sku);
  // the supervisor may also record a pause and a resume; only the lines of the helper count here
  const isFromHelper = (line: HistoryLine): boolean =>
    (type !== 'stopped' && type !== 'resumed') || 'because' in line;
  return history.filter(
    (line) => line.type === type && line.pid === fault?.pid && line.t >= fault.t && isFromHelper(line),
  );
};

const locks = async (sku: string) => (await shop().get(`/lab/inventory/locks/${sku}`, 'lab')).json;

/** Sells one unit on an inventory replica that is not paused. Behind nginx it might be the turn of the paused one. */
async function sellOnAnotherReplica(sku: string, paused: unknown): Promise<Reply> {
  const replicas = await shop().stack.replicas();
  const replica = replicas.find(({ app, name }) => app === 'inventory' && name !== paused);
  const url = `${String(replica?.url)}/products/${sku}/deductions?strategy=none`;
  return shop().post(url, { body: { quantity: 1 } });
}

describe('kill', () => {
  test('kill is a SIGKILL that the supervisor records; the buyer receives OUTCOME_UNKNOWN; the replica restarts', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, query: 'strategy=setnx', fault: 'after(SETNX)=kill' });
    expectProblem(reply, 502, 'OUTCOME_UNKNOWN');
    const [fault] = await fired(sku);
    expect(fault).toMatchObject({
      fault: 'after(SETNX)=kill',
      action: 'kill',
      at: `SETNX lock:{${sku}}:setnx locked`,
    });
    await eventually(
      'the supervisor has recorded the exit',
      async () => (await observed(sku, 'exit')).length === 1,
    );
    expect(await observed(sku, 'exit')).toMatchObject([
      { replica: fault?.replica, signal: 'SIGKILL', asked: false },
    ]);
    await shop().stack.ready();
    const replica = await shop().replica(fault?.replica);
    expect(replica.state).toBe('up');
    expect(replica.pid).not.toBe(fault?.pid);
  });

  test('of the holder leaves no movement, no order, the stock unchanged, and the lock', async () => {
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
    'at %s rolls back both the write and its movement',
    async (when) => {
      const sku = await shop().product(3);
      expectProblem(await shop().order({ sku, fault: `${when}=kill` }), 502, 'OUTCOME_UNKNOWN');
      await shop().stack.ready();
      expect(await shop().movements(sku)).toEqual([]);
      expect(await shop().stock(sku)).toBe(3);
    },
  );

  test('after the COMMIT keeps both, but the order is missing', async () => {
    const sku = await shop().product(3);
    expectProblem(await shop().order({ sku, fault: 'after(COMMIT)=kill' }), 502, 'OUTCOME_UNKNOWN');
    await shop().stack.ready();
    expect(await shop().movements(sku)).toMatchObject([{ before: 3, after: 2 }]);
    expect(await shop().stock(sku)).toBe(2);
    expect(await shop().orders(sku)).toEqual([]);
  });

  test('of the order app between the deduction and the order keeps the movement', async () => {
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
  test('stops the process for a time: a helper observes state T and resumes it, and the order succeeds', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, query: 'strategy=setnx', fault: 'before(DEL)=pause(300)' });
    expect(reply.status).toBe(201);
    expect(reply.tookMs).toBeGreaterThanOrEqual(300);
    const [stopped, resumed] = [...(await observed(sku, 'stopped')), ...(await observed(sku, 'resumed'))];
    expect([stopped, resumed]).toMatchObject([
      { because: 'its state is T' },
      { because: '300 ms have passed' },
    ]);
    expect(resumed?.t).toBeGreaterThan(stopped?.t ?? 0);
    expect(await locks(sku)).toEqual([]);
  });

  test('takes effect at its timestamp: the process records nothing between the fault and the observed stop', async () => {
    const sku = await shop().product(50);
    // the other orders keep both replicas at work until the stop, and after it
    const paused = shop().order({ sku, fault: 'before(UPDATE)=pause(300)' });
    const others = Array.from({ length: 40 }, () => shop().order({ sku }));
    await Promise.all([paused, ...others]);
    const [fault] = await fired(sku);
    const [stopped] = await observed(sku, 'stopped');
    const between = (await shop().history(sku)).filter(
      ({ pid, t, type }) => pid === fault?.pid && t > fault.t && t < (stopped?.t ?? 0) && type !== 'stopped',
    );
    expect({ stopped: stopped?.type, between }).toEqual({ stopped: 'stopped', between: [] });
  });

  test('before a step means that the step has not been sent', async () => {
    const sku = await shop().product(3);
    const fault = 'before(UPDATE)=pause(lock-taken)';
    const order = shop().order({ sku, query: 'strategy=setnx', fault });
    await eventually('the replica is paused', async () => (await observed(sku, 'stopped')).length === 1);
    expect(await shop().everything()).toMatchObject({
      balances: expect.arrayContaining([expect.objectContaining({ id: sku, amount: 3 })]) as unknown,
      locks: expect.arrayContaining([`lock:{${sku}}:setnx`]) as unknown,
    });
    await shop().takeLockOver(`lock:{${sku}}:setnx`);
    expect((await order).status).toBe(201);
  });

  test('until another client has the lock: then the stale release deletes a foreign lock', async () => {
    const sku = await shop().product(3);
    const query = 'strategy=token-checked&leaseMs=200';
    const order = shop().order({ sku, query, fault: 'before(DEL)=pause(lock-taken)' });
    await eventually('the replica is paused', async () => (await observed(sku, 'stopped')).length === 1);
    await eventually('the lease has ended, and another client has the lock', () =>
      shop().acquireLock(`lock:{${sku}}:token-checked`),
    );
    expect((await order).status).toBe(201);
    expect(await observed(sku, 'resumed')).toContainEqual(
      expect.objectContaining({ because: 'another client holds the lock' }),
    );
    const deleted = (await shop().history(sku)).filter((line) => line.type === 'step' && line.verb === 'DEL');
    expect(deleted).toMatchObject([{ reply: 1 }]);
    expect(await locks(sku)).toEqual([]);
  });

  test('until another request has a movement: then the stale write loses that sale', async () => {
    const sku = await shop().product(3);
    const query = 'strategy=none';
    const first = shop().order({ sku, query, fault: 'before(UPDATE)=pause(sale)' });
    await eventually('the replica is paused', async () => (await observed(sku, 'stopped')).length === 1);
    const [fault] = await fired(sku);
    expect((await sellOnAnotherReplica(sku, fault?.replica)).status).toBe(201);
    expect((await first).status).toBe(201);
    expect(await observed(sku, 'resumed')).toContainEqual(
      expect.objectContaining({ because: 'another request has a movement' }),
    );
    expect((await shop().movements(sku)).map((row) => row['after'])).toEqual([2, 2]);
    expect(await shop().stock(sku)).toBe(2);
  });
});

test('block keeps the event loop busy: the whole replica answers no request', async () => {
  const sku = await shop().product(3);
  const order = shop().order({ sku, fault: 'before(UPDATE)=block(2000)' });
  await eventually('the fault has fired', async () => (await fired(sku)).length === 1);
  const [fault] = await fired(sku);
  const { url } = await shop().replica(fault?.replica);
  await shop().send(`${url}/health/live`, 'GET', {});
  expect(process.hrtime.bigint() / 1000n).toBeGreaterThanOrEqual((fault?.t ?? Infinity) + 2_000_000); // the clock of the history, microseconds
  expect((await order).status).toBe(201);
});

test('delay affects only its own request', async () => {
  const sku = await shop().product(3);
  let isAnswered = false as boolean; // set by the order
  const order = shop()
    .order({ sku, fault: 'before(UPDATE)=delay(5000)' })
    .finally(() => (isAnswered = true));
  await eventually('the fault has fired', async () => (await fired(sku)).length === 1);
  const { url } = await shop().replica((await fired(sku))[0]?.replica);
  await shop().send(`${url}/health/live`, 'GET', {});
  expect(isAnswered).toBe(false);
  expect((await order).tookMs).toBeGreaterThanOrEqual(5000);
});

describe('lose-reply', () => {
  test('after an acquisition leaves a lock that its client does not know of and that stays locked', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, query: 'strategy=setnx', fault: 'after(SETNX)=lose-reply' });
    expectProblem(reply, 503, 'DEPENDENCY.DOWN');
    expect(reply.headers['retry-after']).toBe('1');
    expect(await locks(sku)).toHaveLength(1);
    expect(await shop().stock(sku)).toBe(3);
  });

  test('of the COMMIT is an unknown outcome, not a reason to retry', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, fault: 'after(COMMIT)=lose-reply' });
    expectProblem(reply, 502, 'OUTCOME_UNKNOWN');
    expect(reply.headers).not.toHaveProperty('retry-after');
    expect(await shop().movements(sku)).toHaveLength(1);
  });

  test('of the release does not affect the sale', async () => {
    const sku = await shop().product(3);
    const query = 'strategy=token-lua';
    const reply = await shop().order({ sku, query, fault: 'after(release-if-owner)=lose-reply' });
    expect(reply.status).toBe(201);
    expect(await fired(sku)).toHaveLength(1);
  });
});

describe('error', () => {
  test.each(['before(UPDATE)', 'before(COMMIT)', 'after(INSERT)'])(
    'at %s: 503, and neither a write nor a movement',
    async (when) => {
      const sku = await shop().product(3);
      const reply = await shop().order({ sku, fault: `${when}=error` });
      expectProblem(reply, 503, 'DEPENDENCY.DOWN');
      expect(reply.headers['retry-after']).toBe('1');
      expect(await shop().movements(sku)).toEqual([]);
      expect(await shop().stock(sku)).toBe(3);
    },
  );

  test('in the order app after the deduction: the reply advises against ordering again', async () => {
    const sku = await shop().product(3);
    const reply = await shop().order({ sku, fault: UNRECORDED });
    expectProblem(reply, 502, 'OUTCOME_UNKNOWN');
    expect(reply.json['detail']).toContain('Do not order again');
    expect(await shop().movements(sku)).toHaveLength(1);
  });
});

test('recording the order is tried again after the deduction: the buyer receives the order', async () => {
  const sku = await shop().product(3);
  const [first, second] = UNRECORDED.split('; ');
  const reply = await shop().order({ sku, fault: `${first}; ${second}` });
  expect(reply.status).toBe(201);
  expect(await shop().orders(sku)).toMatchObject([{ request: reply.json['request'] }]);
  expect(await shop().stock(sku)).toBe(2);
});

describe('where a fault applies', () => {
  test('#n selects the nth such step of the request', async () => {
    const sku = await shop().product(3);
    await shop().order({ sku, query: 'strategy=setnx', fault: 'after(SETNX)=lose-reply' });
    const fault = 'before(SETNX#3)=error';
    const reply = await shop().order({ sku, query: 'strategy=setnx&waitMs=20000', fault });
    expectProblem(reply, 503, 'DEPENDENCY.DOWN');
    const attempts = (await shop().history(sku)).filter(
      (line) =>
        line.type === 'step' && line.verb === 'SETNX' && line.request === reply.headers['x-request-id'],
    );
    expect(attempts).toMatchObject([{ reply: 0 }, { reply: 0 }]);
  });

  test('=reply selects a losing attempt instead of the winning one', async () => {
    const sku = await shop().product(3);
    const fault = 'after(SETNX=0)=error';
    expect((await shop().order({ sku, query: 'strategy=setnx', fault })).status).toBe(201);
    expect(await fired(sku)).toEqual([]);
    await shop().order({ sku, query: 'strategy=setnx', fault: 'after(SETNX)=lose-reply' });
    expectProblem(await shop().order({ sku, query: 'strategy=setnx', fault }), 503, 'DEPENDENCY.DOWN');
  });

  test('a fault belongs to one request and fires once', async () => {
    const sku = await shop().product(9);
    await shop().order({ sku, fault: 'before(UPDATE)=error' });
    for (let i = 0; i < 4; i++) expect((await shop().order({ sku })).status).toBe(201);
    expect(await fired(sku)).toHaveLength(1);
  });

  test('several faults in one header all fire', async () => {
    const sku = await shop().product(9);
    const fault = 'before(SETNX)=delay(5); before(DEL)=delay(5); order:before(INSERT#2)=delay(5)';
    expect((await shop().order({ sku, query: 'strategy=setnx', fault })).status).toBe(201);
    expect((await fired(sku)).map(({ at }) => at.split(' ')[0])).toEqual(['SETNX', 'DEL', 'INSERT']);
  });

  test('a step that the strategy does not issue is never hit', async () => {
    const sku = await shop().product(9);
    expect((await shop().order({ sku, query: 'strategy=none', fault: 'after(SETNX)=kill' })).status).toBe(
      201,
    );
    expect(await fired(sku)).toEqual([]);
  });
});
