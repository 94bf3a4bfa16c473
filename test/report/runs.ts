import type { HistoryLine } from '#lab/step';
import type { ClientAnswer, Evidence, Movement } from '#lab/verdict';

/**
 * Runs small enough to be written by hand. Times are in milliseconds here, and in microseconds in the history
 * lines.
 */

const REPLICAS = ['inventory-1', 'inventory-2'] as const;

const sale = (id: number, request: string, replica: string, after: number): Movement => ({
  id,
  segment: null,
  delta: -1,
  before: after + 1,
  after,
  request,
  replica,
  strategy: 'none',
  at: '2026-01-01T00:00:00.000Z',
});

const answer = (request: string, code: string, at: number): ClientAnswer => ({
  request,
  status: code === 'APPLIED' ? 201 : 409,
  code,
  quantity: 1,
  replica: 'order-1',
  at,
  tookMs: 10,
});

/** A request in the inventory app that sells between `from` and `until`. */
function selling(request: string, replica: string, from: number, until: number): HistoryLine[] {
  const line = { replica, pid: replica === REPLICAS[0] ? 11 : 12, request };
  const sql = { ...line, type: 'step', kind: 'sql', took: 500 } as const;
  const at = (ms: number): number => ms * 1000;
  return [
    {
      ...line,
      type: 'request',
      app: 'inventory',
      balance: 'p',
      delta: -1,
      strategy: 'none',
      options: {},
      t: at(from),
    },
    { ...sql, n: 1, verb: 'INSERT', text: 'INSERT INTO movement (balance) VALUES ("p")', t: at(until - 2) },
    { ...sql, n: 2, verb: 'COMMIT', text: 'COMMIT', t: at(until - 1) },
    { ...line, type: 'outcome', app: 'inventory', code: 'APPLIED', t: at(until) },
  ];
}

export const emptyRun = (): Evidence => ({
  balance: 'p',
  strategy: 'none',
  initial: 0,
  finalStock: 0,
  movements: [],
  segments: [],
  orders: [],
  history: [],
  locks: [],
  answers: [],
  replicas: 2,
  faults: [],
});

/** One unit, sold by two requests on two replicas. */
export const collision = (first = 'a'): Evidence => ({
  ...emptyRun(),
  balance: first,
  initial: 1,
  movements: [sale(1, first, REPLICAS[0], 0), sale(2, 'b', REPLICAS[1], 0)],
  orders: [{ request: first }, { request: 'b' }],
  history: [...selling(first, REPLICAS[0], 1000, 1010), ...selling('b', REPLICAS[1], 1002, 1014)],
  answers: [answer(first, 'APPLIED', 0), answer('b', 'APPLIED', 2), answer('c', first, 3)],
});

/** Two units, sold one after the other; the replica of the first sale recorded the reply of its COMMIT last. */
export const lateReply = (): Evidence => ({
  ...emptyRun(),
  strategy: 'conditional-update',
  initial: 2,
  movements: [sale(1, 'a', REPLICAS[0], 1), sale(2, 'b', REPLICAS[1], 0)],
  orders: [{ request: 'a' }, { request: 'b' }],
  history: [...selling('a', REPLICAS[0], 1000, 1014), ...selling('b', REPLICAS[1], 1002, 1010)],
  answers: [answer('a', 'APPLIED', 0), answer('b', 'APPLIED', 2)],
});

/** The holder is killed, its lease ends after 500 ms, and another request sells. */
export function killedHolder(): Evidence {
  const lock = {
    type: 'step',
    kind: 'redis',
    key: 'lock:{p}:expiring',
    verb: 'SET',
    reply: 'OK',
    lock: { role: 'acquire', done: true },
  } as const;
  const text = 'SET lock:{p}:expiring locked PX 500 NX';
  const first = { replica: REPLICAS[0], pid: 11, request: 'a' };
  const second = { replica: REPLICAS[1], pid: 12, request: 'b' };
  const [began] = selling('a', REPLICAS[0], 1000, 1010);
  return {
    ...collision(),
    strategy: 'expiring',
    movements: [sale(1, 'b', REPLICAS[1], 0)],
    orders: [{ request: 'b' }],
    faults: ['after(SET)=kill'],
    answers: [answer('a', 'OUTCOME_UNKNOWN', 0), answer('b', 'APPLIED', 490)],
    history: [
      ...(began === undefined ? [] : [began]),
      { ...lock, ...first, text, n: 1, took: 900, order: 1, t: 1_001_000 },
      { ...first, type: 'fault', fault: 'after(SET)=kill', action: 'kill', at: text, t: 1_002_000 },
      { type: 'exit', replica: REPLICAS[0], pid: 11, signal: 'SIGKILL', t: 1_003_000 },
      { type: 'start', replica: REPLICAS[0], pid: 13, t: 1_103_000 },
      { ...lock, ...second, text, n: 1, took: 900, order: 2, t: 1_501_000 },
      ...selling('b', REPLICAS[1], 1500, 1514),
    ],
  };
}
