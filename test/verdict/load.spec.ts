import { HistoryBuilder } from './history-builder';

/** Two concurrent buyers, one unit each, no violation. */
const clean = (): HistoryBuilder => new HistoryBuilder().contention().sells('a').sells('b');

const fault = { type: 'fault', request: 'a', fault: 'after(SET)=kill', action: 'kill', at: 'SET' };
const killed = (history: HistoryBuilder): HistoryBuilder =>
  history.line(fault).line({ type: 'exit', signal: 'SIGKILL', code: null }, 'inventory-1');

describe('safe', () => {
  test('is a run whose rows add up and in which requests overlapped on different replicas', () => {
    expect(clean().judge()).toMatchObject({
      verdict: 'safe',
      violations: [],
      asExpected: true,
      sold: 2,
      finalStock: 8,
    });
  });

  test('does not require the whole stock to be sold, nor a stock divisible by the quantity', () => {
    const history = new HistoryBuilder(100)
      .contention()
      .sells('a', 100, { units: 60 })
      .answered('b', 'STOCK.SOLD_OUT', 60);
    expect(history.judge()).toMatchObject({ verdict: 'safe', sold: 60 });
  });

  test('is not affected by buyers that gave up on a lock, a conflict or a lost answer', () => {
    const history = clean()
      .answered('c', 'LOCK.NOT_OBTAINED')
      .answered('d', 'OUTCOME_UNKNOWN')
      .answered('e', 'LOCK.LOST');
    expect(history.judge().verdict).toBe('safe');
  });
});

describe('a history without its beginning', () => {
  const dropped = { type: 'rotated', at: '', droppedBytes: 4096, droppedUntil: 7 };

  test('proves nothing, although the rows add up', () => {
    expect(clean().line(dropped).judge()).toMatchObject({
      verdict: 'unknown',
      asExpected: false,
      reasons: [{ code: 'history-dropped', replicas: ['inventory-1'], bytes: 4096 }],
    });
  });

  test('does not excuse a violation that the rows show', () => {
    const { verdict, violations, reasons } = clean().sells('c', 9).line(dropped).judge();
    expect({ verdict, violations }).toEqual({ verdict: 'violated', violations: ['lost-update'] });
    expect(reasons.map(({ code }) => code)).toContain('history-dropped');
  });
});

test('a watchdog that the machine outpaced is not blamed for the second holder when it noticed its loss', () => {
  const about = { balance: 'load', delta: -1, strategy: 'watchdog', options: { leaseMs: 2 } };
  const run = new HistoryBuilder()
    .line({ type: 'request', app: 'inventory', request: 'a', ...about })
    .line({ type: 'request', app: 'inventory', request: 'b', ...about }, 'inventory-2')
    .locks('a')
    .at(10_000)
    .locks('b', 'inventory-2')
    .sql('a', 'inventory-1', 'ROLLBACK')
    .ends('a', 'LOCK.LOST')
    .ends('b', 'APPLIED', 'inventory-2')
    .sells('b');
  expect(run.judge({ strategy: 'watchdog' })).toMatchObject({ violations: ['overlap'], asExpected: true });
});

describe('two holders, of which the stale one was refused', () => {
  const overlapping = (): HistoryBuilder =>
    new HistoryBuilder()
      .arrives('a')
      .arrives('b', 'inventory-2')
      .locks('a')
      .locks('b', 'inventory-2')
      .sql('a')
      .ends('a', 'LOCK.LOST');
  const documented = { must: ['overlap' as const], may: [] };

  test('are safe when the other one sold', () => {
    const run = overlapping().ends('b', 'APPLIED', 'inventory-2').sells('b');
    expect(run.judge({}, documented)).toMatchObject({
      verdict: 'safe',
      mark: 'lock-broken',
      asExpected: true,
    });
  });

  test('are a broken lock when nothing was sold: the refusal protected nothing', () => {
    const run = overlapping().ends('b', 'LOCK.LOST', 'inventory-2');
    expect(run.judge({}, documented)).toMatchObject({
      verdict: 'violated',
      mark: 'lock-broken',
      asExpected: true,
      sold: 0,
    });
  });
});

describe('unknown', () => {
  test('is a run without overlapping requests', () => {
    const history = new HistoryBuilder()
      .arrives('a')
      .ends('a')
      .arrives('b', 'inventory-2')
      .ends('b')
      .sells('a')
      .sells('b');
    const { verdict, because, asExpected } = history.judge();
    expect({ verdict, because, asExpected }).toEqual({
      verdict: 'unknown',
      because: ['no two requests ran at the same time on different replicas'],
      asExpected: false,
    });
  });

  test('is a run in which requests overlapped on one replica only, unless there was only one', () => {
    const history = new HistoryBuilder().arrives('a').arrives('b').ends('a').ends('b').sells('a').sells('b');
    expect(history.judge().verdict).toBe('unknown');
    expect(history.judge({ replicas: 1 }).verdict).toBe('safe');
  });

  test('is a run in which nothing was sold, or that has no history', () => {
    expect(new HistoryBuilder().contention().judge().because).toEqual(['0 sold of 10']);
    expect(new HistoryBuilder().sells('a').judge().verdict).toBe('unknown');
  });

  test('is a run whose sales add up in an order that contradicts real time', () => {
    const history = clean().arrives('c').ends('c').arrives('d').ends('d').sells('d').sells('c');
    const { verdict, chain } = history.judge();
    expect({ verdict, chain: chain?.kind }).toEqual({ verdict: 'unknown', chain: 'order' });
  });

  test('is a run whose fault never fired', () => {
    const { verdict, because, faultsProved } = clean().judge({ faults: ['after(SETNX)=kill'] });
    expect({ verdict, because, faultsProved }).toEqual({
      verdict: 'unknown',
      because: ['the fault after(SETNX)=kill never fired'],
      faultsProved: false,
    });
  });

  test('is a run in which one of two faults never fired', () => {
    const header = 'after(SET)=kill; before(DEL)=kill';
    const { verdict, because } = killed(clean()).judge({ faults: [header] });
    expect({ verdict, because }).toEqual({
      verdict: 'unknown',
      because: ['the fault before(DEL)=kill never fired'],
    });
  });

  test.each([
    ['another process of the replica exited', { type: 'exit', signal: 'SIGKILL' }, 999],
    ['the exit had another cause', { type: 'exit', signal: null, code: 1 }, 101],
    ['only a start of the same process was recorded', { type: 'start' }, 101],
  ])('is a run whose kill no other process observed: %s', (_, seen, pid) => {
    const { verdict, because } = clean()
      .line(fault)
      .line(seen, 'inventory-1', pid)
      .judge({ faults: ['after(SET)=kill'] });
    expect({ verdict, because }).toEqual({
      verdict: 'unknown',
      because: ['no other process observed the fault after(SET)=kill'],
    });
  });

  test('is a run whose kill was observed before it fired', () => {
    const history = clean().line({ type: 'exit', signal: 'SIGKILL' }, 'inventory-1').line(fault);
    expect(history.judge({ faults: ['after(SET)=kill'] }).verdict).toBe('unknown');
  });

  test('is a run whose pause was not observed as state T by a helper', () => {
    const pause = { ...fault, fault: 'before(DEL)=pause(9)', action: 'pause' };
    const faults = [pause.fault];
    expect(clean().line(pause).judge({ faults }).verdict).toBe('unknown');
    expect(clean().line(pause).line({ type: 'stopped' }, 'inventory-2').judge({ faults }).verdict).toBe(
      'unknown',
    );
    for (const [more, seenBy] of [
      [{ because: 'its state is T' }, 'the helper: state T'],
      [{}, 'the supervisor: state T'],
    ] as const)
      expect(
        clean()
          .line(pause)
          .line({ type: 'stopped', ...more })
          .judge({ faults }),
      ).toMatchObject({ verdict: 'safe', faultsProved: true, faults: [{ seenBy }] });
  });

  test("is a run with a lock command without a position in the server's order", () => {
    const history = clean().locks('a', 'inventory-1', { order: undefined });
    expect(history.judge()).toMatchObject({ verdict: 'unknown', undecided: 1 });
  });

  test('is not a run whose step was pending when a fault fired and was answered later', () => {
    const history = clean();
    const pending = { type: 'step', request: 'a', n: 1, kind: 'redis', verb: 'SET', text: 'SET', took: 0 };
    const both = { ...pending, key: 'lock:{load}:expiring', t: 5000 };
    history
      .line({ ...both, pending: true, lock: { role: 'acquire' } })
      .line({ ...both, reply: null, order: 1, took: 80, lock: { role: 'acquire', done: false } });
    expect(history.judge()).toMatchObject({ verdict: 'safe', undecided: 0 });
  });

  test('is a run with answers that the shop does not document', () => {
    expect(clean().answered('c', 'INTERNAL').judge().because).toEqual([
      '1 answer that the shop does not document, e.g. INTERNAL',
    ]);
  });

  test('is a run in which an unplanned server outage refused buyers with stock left', () => {
    const because = ['1 buyer received DEPENDENCY.DOWN with stock left, although the run stopped no server'];
    const history = clean().answered('c', 'DEPENDENCY.DOWN');
    expect(history.judge()).toMatchObject({ verdict: 'unknown', because, asExpected: false });
    const sold = new HistoryBuilder(2).contention().sells('a').sells('b').answered('c', 'DEPENDENCY.DOWN');
    expect(sold.judge().verdict).toBe('safe');
    const asked = fault.fault.replace('kill', 'error');
    const hit = clean().line({ ...fault, request: 'c', fault: asked, action: 'error' });
    expect(hit.answered('c', 'DEPENDENCY.DOWN').judge({ faults: [asked] }).verdict).toBe('safe');
  });

  test('is a run in which two requests had one id', () => {
    const history = clean().arrives('a').ends('a').sells('a');
    expect(history.judge().because).toEqual(['1 request reused the id of another request']);
  });

  test('is a run in progress: a later step may explain a difference', () => {
    const history = clean().arrives('c').sells('c', 8, { order: false });
    const locks = [{ key: 'lock:{load}:setnx', value: 'locked', ttlMs: null }];
    const { verdict, because } = history.judge({ locks });
    expect({ verdict, because }).toEqual({
      verdict: 'unknown',
      because: ['1 request did not finish, e.g. c'],
    });
    expect(clean().judge({ moving: true, finalStock: 9 }).verdict).toBe('unknown');
  });
});

describe('violated', () => {
  test('oversold: more units were sold than there were', () => {
    const history = new HistoryBuilder(1).contention().sells('a', 1).sells('b', 1);
    expect(history.judge()).toMatchObject({
      verdict: 'violated',
      oversold: 1,
      lostUpdates: 1,
      violations: ['oversold', 'lost-update'],
    });
  });

  test('lost-update: the two sales of the same unit are named', () => {
    const { violations, duplicates, because } = new HistoryBuilder()
      .contention()
      .sells('a', 10)
      .sells('b', 10)
      .judge();
    expect(violations).toEqual(['lost-update']);
    expect(duplicates).toEqual([
      {
        value: 9,
        sales: [
          { request: 'a', replica: 'inventory-1' },
          { request: 'b', replica: 'inventory-1' },
        ],
      },
    ]);
    expect(because[0]).toContain('"9 left" was sold by a on inventory-1 and by b on inventory-1');
  });

  test('lost-update: a stale write raised the stock without selling a value twice', () => {
    const history = new HistoryBuilder()
      .contention()
      .sells('b', 10)
      .sells('c', 9)
      .sells('a', 10, { units: 3 });
    expect(history.judge()).toMatchObject({ violations: ['lost-update'], duplicates: [], lostUpdates: 2 });
  });

  test('undersold: refused as sold out with enough left, but not with too little left', () => {
    const history = new HistoryBuilder(3)
      .contention()
      .sells('a', 3)
      .sells('b', 2)
      .answered('c', 'STOCK.SOLD_OUT', 1);
    expect(history.judge().violations).toEqual(['undersold']);
    const more = new HistoryBuilder(3)
      .contention()
      .sells('a', 3)
      .sells('b', 2)
      .answered('c', 'STOCK.SOLD_OUT', 2);
    expect(more.judge().verdict).toBe('safe');
  });

  test('undersold: units left the stock without a sale', () => {
    const { violations, because } = clean().judge({ finalStock: 5 });
    expect(violations).toEqual(['undersold']);
    expect(because).toEqual(['3 units gone from the stock without a sale']);
  });

  test('stuck: a lock that never expires, but not one that will', () => {
    const key = 'lock:{load}:setnx';
    const left = (ttlMs: number | null) => clean().judge({ locks: [{ key, value: 'locked', ttlMs }] });
    expect(left(null)).toMatchObject({ violations: ['stuck'], stuckLocks: [{ key }] });
    expect(left(400).verdict).toBe('safe');
  });

  test('orphan: a movement without an order, even if another request has the same id and an order', () => {
    const history = clean().sells('c', 8, { order: false });
    expect(history.judge()).toMatchObject({ violations: ['orphan'], orphans: ['c'] });
    const twice = clean().sells('a', 8, { order: false });
    expect(twice.judge().orphans).toEqual(['a']);
  });

  test('orphan: an order without a movement', () => {
    const history = clean();
    history.orders.push({ request: 'x' });
    expect(history.judge()).toMatchObject({ violations: ['orphan'], phantoms: ['x'] });
  });

  test('overlap: a second holder acquired the lock before the first one sent its write', () => {
    const history = clean().locks('a').sql('a', 'inventory-1', 'SELECT').locks('b', 'inventory-2').sql('a');
    expect(history.judge()).toMatchObject({
      violations: ['overlap'],
      overlaps: [{ first: 'a', second: 'b', key: 'lock:{load}:expiring' }],
    });
  });

  test('overlap: a second holder acquired the lock while the write of the first waited in the database', () => {
    const waits = { kind: 'sql', verb: 'UPDATE', text: 'UPDATE', key: undefined, reply: null, took: 50_000 };
    const history = clean().locks('a').step('a', 'inventory-1', waits).locks('b', 'inventory-2');
    expect(history.judge()).toMatchObject({
      violations: ['overlap'],
      overlaps: [{ first: 'a', second: 'b' }],
    });
  });

  test('overlap: not after the first holder has finished or released', () => {
    expect(clean().locks('a').sql('a').locks('b', 'inventory-2').sql('b').judge().verdict).toBe('safe');
    expect(clean().locks('a').sql('a').deletes('a').locks('b').sql('b').judge().verdict).toBe('safe');
  });

  test('overlap: the insert of the order app is not work under the lock', () => {
    const history = clean().locks('a').sql('a').locks('b', 'inventory-2').sql('a', 'order-1', 'INSERT');
    expect(history.judge().verdict).toBe('safe');
  });

  test('foreign-release: names the request that deleted and the owner of the lock', () => {
    const history = clean().locks('a').locks('b', 'inventory-2').deletes('a');
    expect(history.judge()).toMatchObject({
      violations: ['foreign-release'],
      foreignReleases: [{ by: 'a', owner: 'b', key: 'lock:{load}:expiring' }],
    });
  });

  test('foreign-release: not when there was no key to delete', () => {
    expect(clean().locks('a').deletes('a', 'inventory-1', { reply: 0 }).judge().verdict).toBe('safe');
  });

  test('foreign-release: the order of the server decides, not the clocks of the clients', () => {
    // by the server: a locks (1), b locks (2), a deletes (3); by the clocks, a deleted before b locked
    const foreign = clean()
      .at(100_000)
      .locks('a')
      .at(300_000)
      .locks('b', 'inventory-2')
      .at(200_000)
      .deletes('a');
    expect(foreign.judge().violations).toContain('foreign-release');
    // by the server: a locks (1), a deletes (2), b locks (3); by the clocks, b locked before a deleted
    const own = clean().at(100_000).locks('a').at(300_000).deletes('a').at(200_000).locks('b', 'inventory-2');
    expect(own.judge().verdict).toBe('safe');
  });
});

describe('as expected', () => {
  const lost = (): HistoryBuilder => new HistoryBuilder().contention().sells('a', 10).sells('b', 10);

  test('when every required violation and no undocumented one is found', () => {
    expect(lost().judge({}, { must: ['lost-update'], may: [] }).asExpected).toBe(true);
    expect(lost().judge({}, { must: [], may: ['lost-update'] }).asExpected).toBe(true);
    expect(lost().judge({}, { must: [], may: [] }).asExpected).toBe(false);
    expect(lost().judge({}, { must: ['oversold', 'lost-update'], may: [] }).asExpected).toBe(false);
    expect(clean().judge({}, { must: ['oversold'], may: [] }).asExpected).toBe(false);
    expect(clean().judge({}, { must: [], may: ['oversold'] }).asExpected).toBe(true);
  });

  test('never when a requested fault is not proved, whatever else was found', () => {
    const expected = { must: ['lost-update'], may: [] } as const;
    const verdict = lost().judge({ faults: ['after(SETNX)=kill'] }, expected);
    expect(verdict).toMatchObject({ verdict: 'violated', asExpected: false, faultsProved: false });
  });
});

test('an outage is the time from the fault to the next holder', () => {
  const history = clean().locks('a').line(fault).line({ type: 'exit', signal: 'SIGKILL' }, 'inventory-1');
  const { outageMs, faults } = history.at(2_000_000).locks('b', 'inventory-2').judge();
  expect(faults).toMatchObject([{ holding: true, seenBy: 'the supervisor: it ended by SIGKILL' }]);
  expect(outageMs).toBe(1995);
});

describe('a split stock', () => {
  const split = (...amounts: number[]) => amounts.map((amount, segment) => ({ segment, initial: 5, amount }));

  test('has one chain of sales per segment: two segments may reach the same value', () => {
    const history = new HistoryBuilder()
      .contention()
      .sells('a', 5, { segment: 0 })
      .sells('b', 5, { segment: 1 })
      .sells('c', 4, { segment: 0 });
    const { verdict, chain, duplicates } = history.judge({ segments: split(3, 4) });
    expect({ verdict, chain, duplicates }).toEqual({ verdict: 'safe', chain: null, duplicates: [] });
  });

  test('reports a lost update in its segment', () => {
    const history = new HistoryBuilder()
      .contention()
      .sells('a', 5, { segment: 0 })
      .sells('b', 5, { segment: 0 });
    const { verdict, violations, chain, duplicates } = history.judge({
      segments: split(4, 5),
      finalStock: 9,
    });
    expect({ verdict, violations }).toEqual({ verdict: 'violated', violations: ['lost-update'] });
    expect(chain?.sentence).toBe('segment 0: a (5 → 4) and b (5 → 4) sold the same unit');
    expect(duplicates).toMatchObject([{ value: 4, sales: [{ request: 'a' }, { request: 'b' }] }]);
  });

  test('does not let the loss of one segment cancel the gain of another', () => {
    const history = new HistoryBuilder()
      .contention()
      .sells('a', 5, { segment: 0 })
      .sells('b', 5, { segment: 0 });
    const { verdict, chain } = history.judge({ segments: split(4, 4) });
    expect({ verdict, chain: chain?.kind }).toEqual({ verdict: 'unknown', chain: 'sold-twice' });
  });

  test('may have been sold as a whole before the split', () => {
    const history = new HistoryBuilder(12)
      .contention()
      .sells('a')
      .sells('b')
      .arrives('c')
      .ends('c')
      .sells('c', 5, { segment: 1 });
    expect(history.judge({ segments: split(5, 4) })).toMatchObject({ verdict: 'safe', chain: null });
  });

  test('counts one order from two segments as one sale', () => {
    const history = new HistoryBuilder().contention().sells('a', 5, { segment: 0 });
    history.sells('b', 4, { segment: 0, units: 4 }).sells('b', 5, { segment: 1, units: 2, order: false });
    const { verdict, orphans, phantoms } = history.judge({ segments: split(0, 3) });
    expect({ verdict, orphans, phantoms }).toEqual({ verdict: 'safe', orphans: [], phantoms: [] });
  });

  test('reports two movements in one segment for one order', () => {
    const history = new HistoryBuilder()
      .contention()
      .sells('a', 5, { segment: 0 })
      .sells('b', 4, { segment: 0 });
    history.sells('b', 3, { segment: 0, order: false });
    expect(history.judge({ segments: split(2, 5) })).toMatchObject({
      violations: ['orphan'],
      orphans: ['b'],
    });
  });

  test('is undersold when buyers were refused with enough left across all segments', () => {
    const history = new HistoryBuilder(10).contention().sells('a', 5, { segment: 0, units: 4 });
    history
      .sells('b', 5, { segment: 1, units: 4 })
      .answered('c', 'STOCK.SOLD_OUT', 2)
      .answered('d', 'STOCK.SOLD_OUT', 3);
    const { violations, because } = history.judge({ segments: split(1, 1) });
    expect(violations).toEqual(['undersold']);
    expect(because).toEqual(['1 buyer refused as sold out with stock left']);
  });
});
