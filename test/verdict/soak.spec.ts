import type { ProcessLine } from '#lab/step';
import type { ViolationKind } from '#lab/strategy';
import {
  judgeMinute,
  judgeSoak,
  slopesOf,
  type MinuteVerdict,
  type Sample,
  type ServerFault,
} from '#lab/verdict';
import { HistoryBuilder } from './history-builder';

/** Two buyers; the second one waits for the lock of the first. */
const contended = (builder = new HistoryBuilder()): HistoryBuilder =>
  builder.arrives('a').arrives('b', 'inventory-2').locks('a').locks('b', 'inventory-2', { reply: null });
const end = (builder: HistoryBuilder): HistoryBuilder =>
  builder
    .deletes('a')
    .locks('b', 'inventory-2')
    .deletes('b', 'inventory-2')
    .ends('a')
    .ends('b', 'APPLIED', 'inventory-2');
const good = (): HistoryBuilder => end(contended()).sells('a').sells('b');

interface More {
  readonly serverFaults?: readonly ServerFault[];
  readonly processes?: readonly ProcessLine[];
  readonly reconciled?: boolean;
  readonly errors?: readonly string[];
  readonly locks?: readonly { key: string; value: string; ttlMs: number | null }[];
  readonly allowed?: readonly ViolationKind[];
  readonly finalStock?: number;
}

function judge(
  builder: HistoryBuilder,
  { serverFaults = [], processes = [], reconciled = true, errors = [], allowed = [], ...more }: More = {},
): MinuteVerdict {
  const { history, movements, orders, answers } = builder;
  const last = movements.at(-1)?.after ?? 10;
  const evidence = {
    balance: 'load',
    strategy: 'expiring',
    replicas: 2,
    faults: [],
    initial: 10,
    finalStock: last,
    segments: [],
    locks: [],
    movements,
    orders,
    answers,
    history: history.toSorted((a, b) => a.t - b.t),
    ...more,
  };
  return judgeMinute({
    number: 1,
    balances: [{ evidence, allowed }],
    serverFaults,
    processes,
    reconciled,
    errors,
  });
}

describe('a minute', () => {
  test('passes when rows add up, and counts when a request waited for a lock', () => {
    expect(judge(good())).toMatchObject({
      counts: true,
      sold: 2,
      balances: 1,
      answeredUnknown: 0,
      wrong: [],
    });
  });

  test('does not count without contention', () => {
    const alone = new HistoryBuilder().arrives('a').locks('a').deletes('a').ends('a').sells('a');
    expect(judge(alone)).toMatchObject({ counts: false, contendedPercent: 0 });
  });

  test.each<[string, HistoryBuilder, More, RegExp]>([
    ['sells more than there was', oversold(), {}, /oversold/],
    ['loses an update', end(contended()).sells('a', 10).sells('b', 10), {}, /lost-update/],
    ['sells a unit to a buyer that received a refusal', boughtButRefused(), {}, /answered as not sold/],
    [
      'takes units from the stock without an order',
      good().sells('c', 8, { order: false }),
      {},
      /deducted from the stock without an order/,
    ],
    ['has orders that cannot be reconciled', good(), { reconciled: false }, /could not be reconciled/],
    ['has an order without a movement', phantom(), {}, /without a deduction/],
    [
      'sells twice with one key',
      retried('APPLIED', true),
      {},
      /1 Idempotency-Key was used for more than one order, e.g. k/,
    ],
    [
      'ends with a refusal for a purchase that was made',
      retried('STOCK.SOLD_OUT'),
      {},
      /1 Idempotency-Key was used for an order, but last answered as not sold/,
    ],
    [
      'answers APPLIED without an order',
      good().answered('c', 'APPLIED'),
      {},
      /APPLIED, but the order or the movement is missing/,
    ],
    [
      'leaves a lock behind',
      good(),
      { locks: [{ key: 'lock:{load}:x', value: 'v', ttlMs: 900 }] },
      /lock:\{load\}:x still exists/,
    ],
    ['answers with an internal error', good().answered('c', 'INTERNAL'), {}, /the shop does not document/],
    ['has a request without an outcome', good().arrives('c'), {}, /1 request was not finished/],
    ['has an error in a log', good(), { errors: ['order-1.log: Error'] }, /1 error in the logs/],
    [
      'loses a replica through an unhandled rejection',
      good(),
      { processes: [exit({ signal: null, code: 1 })] },
      /inventory-1 exited with code 1/,
    ],
    [
      'loses a replica that no fault killed',
      good(),
      { processes: [exit({ signal: 'SIGKILL' })] },
      /exited with SIGKILL/,
    ],
    ['has two holders where the catalogue allows none', overlap(), {}, /overlap/],
  ])('fails when it %s', (_, builder, more, sentence) => {
    const { wrong } = judge(builder, more);
    expect(wrong.join('\n')).toMatch(sentence);
  });

  test('passes with an order whose buyer received OUTCOME_UNKNOWN; such answers are counted', () => {
    const builder = good().sells('c', 8);
    builder.answers.splice(-1, 1);
    expect(judge(builder.answered('c', 'OUTCOME_UNKNOWN'))).toMatchObject({ answeredUnknown: 1, wrong: [] });
  });

  test('passes when a buyer retried with its key and received the result of the first attempt', () => {
    expect(judge(retried('APPLIED'))).toMatchObject({ insisted: { purchases: 1, bought: 1 }, wrong: [] });
    expect(judge(retried('IDEMPOTENCY.IN_PROGRESS'))).toMatchObject({
      insisted: { purchases: 1, bought: 0 },
      answeredUnknown: 2,
      wrong: [],
    });
  });

  test('counts the kill of an order replica while others held a lock, although its own request held none', () => {
    const fault = {
      type: 'fault',
      request: 'c',
      fault: 'order:after(COMMIT)=kill',
      action: 'kill',
      at: 'COMMIT',
    };
    const orderReplicaDies = (builder: HistoryBuilder): HistoryBuilder =>
      builder.line(fault, 'order-1').line({ type: 'exit', signal: 'SIGKILL' }, 'order-1');
    expect(judge(end(orderReplicaDies(contended())).sells('a').sells('b')).fired).toEqual({
      'order-killed': 1,
    });
    expect(judge(orderReplicaDies(good())).inVain).toEqual({ 'order-killed': 1 });
    const unseen = end(contended().line(fault, 'order-1')).sells('a').sells('b');
    expect(judge(unseen).inVain).toEqual({ 'order-killed': 1 });
  });

  test('passes with two holders where the catalogue allows them, and with a replica that was asked to exit', () => {
    const more = { allowed: ['overlap'], processes: [exit({ signal: 'SIGTERM', asked: true })] } as const;
    expect(judge(overlap(), more).wrong).toEqual([]);
  });

  test('counts a fault that hit a holder, and a server fault that a replica noticed, during contention', () => {
    const fault = { type: 'fault', request: 'a', fault: 'after(SET)=delay(5)', action: 'delay', at: 'SET' };
    const builder = contended().line(fault);
    const from = builder.history.at(-1)?.t ?? 0;
    const builtHistory = end(builder).sells('a').sells('b');
    const server = { kind: 'redis-killed', target: 'redis', from, until: from + 1000 };
    const noticed = { ...server, feltBy: 'inventory-1: not reachable' };
    expect(judge(builtHistory, { serverFaults: [noticed, { ...server, feltBy: null }] })).toMatchObject({
      fired: { delay: 1, 'redis-killed': 1 },
      inVain: { 'redis-killed': 1 },
    });
    const later = { ...noticed, from: from + 10_000_000 };
    expect(judge(builtHistory, { serverFaults: [later] })).toMatchObject({ inVain: { 'redis-killed': 1 } });
    const unheld = end(contended())
      .arrives('c')
      .line({ ...fault, request: 'c' })
      .ends('c')
      .sells('a')
      .sells('b')
      .sells('c');
    expect(judge(unheld).inVain).toEqual({ delay: 1 });
  });

  test('attributes an exit to the injected kill', () => {
    const fault = { type: 'fault', request: 'a', fault: 'after(SET)=kill', action: 'kill', at: 'SET' };
    const gone = exit({ signal: 'SIGKILL' });
    const builder = contended().line(fault);
    builder.line({ type: 'exit', signal: 'SIGKILL' });
    builder
      .ends('b', 'LOCK.NOT_OBTAINED', 'inventory-2')
      .answered('b', 'LOCK.NOT_OBTAINED')
      .answered('a', 'OUTCOME_UNKNOWN');
    expect(judge(builder, { processes: [gone] })).toMatchObject({ fired: { kill: 1 }, wrong: [] });
  });
});

function oversold(): HistoryBuilder {
  const builder = end(contended(new HistoryBuilder(1)))
    .sells('a', 1)
    .sells('b', 1);
  return Object.assign(builder, {
    movements: [...builder.movements, ...Array.from({ length: 10 }, () => builder.movements[0])],
  });
}

function boughtButRefused(): HistoryBuilder {
  const builder = good().sells('c', 8);
  builder.answers.splice(-1, 1);
  return builder.answered('c', 'LOCK.LOST');
}

/** c had no answer and retried with its key; `twice`: the retry bought a second unit. */
function retried(code: string, twice = false): HistoryBuilder {
  const builder = good().sells('c', 8);
  builder.answers.splice(-1, 1);
  builder.answered('c', 'NO_ANSWER', 1, 'k');
  if (twice) {
    builder.sells('c2', 7);
    builder.answers.splice(-1, 1);
  }
  return builder.answered(twice ? 'c2' : code === 'APPLIED' ? 'c' : 'c3', code, 1, 'k');
}

function phantom(): HistoryBuilder {
  const builder = good();
  builder.orders.push({ request: 'c' });
  return builder;
}

/** b acquires the lock while a still writes under it. */
function overlap(): HistoryBuilder {
  const builder = new HistoryBuilder()
    .arrives('a')
    .arrives('b', 'inventory-2')
    .locks('a')
    .locks('b', 'inventory-2');
  return builder.sql('a').ends('a').ends('b', 'APPLIED', 'inventory-2').sells('a').sells('b');
}

function exit(how: object): ProcessLine {
  return { type: 'exit', t: 1, replica: 'inventory-1', pid: 101, ...how };
}

/** Samples of a replica whose metrics grow by a fixed amount per minute; the first minute is its warm-up. */
const samplesOf = (
  grows: Partial<Record<'rssMb' | 'heapMb' | 'handles' | 'resources', number>>,
  minutes = 9,
): Sample[] =>
  Array.from({ length: minutes }, (_, i) => ({
    replica: 'inventory-1',
    pid: 7,
    at: i + 1,
    rssMb: (i === 0 ? 60 : 150) + i * (grows.rssMb ?? 0) + (i % 2) * 3,
    heapMb: 40 + i * (grows.heapMb ?? 0),
    handles: 50 + i * (grows.handles ?? 0) + (i === 4 ? 30 : 0),
    resources: 30 + i * (grows.resources ?? 0),
  }));

describe('growth', () => {
  test('of a healthy replica is zero, despite its warm-up and one outlier', () => {
    expect(slopesOf(samplesOf({}))).toMatchObject([
      { samples: 8, leaks: [], perMinute: { heapMb: 0, resources: 0 } },
    ]);
  });

  test.each([
    ['rssMb', 12],
    ['heapMb', 5],
    ['handles', 6],
    ['resources', 6],
  ] as const)('is detected in %s', (measure, grows) => {
    const [slope] = slopesOf(samplesOf({ [measure]: grows }));
    expect(slope?.leaks).toEqual([measure]);
    expect(slope?.perMinute?.[measure]).toBeCloseTo(grows, 0);
  });

  test('is not reported for a replica that lived too short; a restarted replica counts as a new one', () => {
    expect(slopesOf(samplesOf({ rssMb: 100 }, 4))).toMatchObject([
      { samples: 3, perMinute: null, leaks: [] },
    ]);
    const restarted = samplesOf({ rssMb: 100 }).map((sample) => ({ ...sample, pid: sample.at }));
    const slopes = slopesOf(restarted).map(({ perMinute }) => perMinute);
    expect(slopes).toEqual(restarted.map(() => null));
  });
});

describe('a soak', () => {
  const minute = (more: Partial<MinuteVerdict> = {}): MinuteVerdict => ({
    ...judge(good()),
    fired: { kill: 3 },
    ...more,
  });
  const required = { kinds: ['kill'], least: 5 };

  test('passes when all minutes did, each kind fired often enough, and no metric grows', () => {
    expect(judgeSoak([minute(), minute()], samplesOf({}), required)).toMatchObject({
      held: true,
      because: [],
      fired: { kill: 6 },
    });
  });

  test.each<[string, readonly MinuteVerdict[], Sample[], RegExp]>([
    [
      'a minute failed',
      [minute(), minute({ wrong: ['one too many'] })],
      samplesOf({}),
      /minute 1: one too many/,
    ],
    ['a kind fired too rarely', [minute()], samplesOf({}), /kill fired 3 times/],
    [
      'a kind fired only in a minute that does not count',
      [minute(), minute({ counts: false })],
      samplesOf({}),
      /kill fired 3 times/,
    ],
    ['a metric grows', [minute(), minute()], samplesOf({ rssMb: 20 }), /inventory-1 \(pid 7\) grows/],
    ['nothing contended', [minute({ counts: false })], samplesOf({}), /no minute had contention/],
  ])('fails when %s', (_, minutes, samples, sentence) => {
    const { held, because } = judgeSoak(minutes, samples, required);
    expect(held).toBe(false);
    expect(because.join('\n')).toMatch(sentence);
  });
});
