import type { HistoryLine } from '#lab/step';
import { SAFE, type Expectation } from '#lab/strategy';
import { recordedLock } from '../harness/recorded-lock';
import { judgeLoad, type ClientAnswer, type Evidence, type LoadVerdict, type Movement } from '#lab/verdict';

const KEY = 'lock:{load}:expiring';

/** Builds a run by hand: each call is one event, one millisecond after the previous one. */
export class HistoryBuilder {
  readonly history: HistoryLine[] = [];
  readonly movements: Movement[] = [];
  readonly orders: { request: string }[] = [];
  readonly answers: ClientAnswer[] = [];
  private t = 0;
  private order = 0;
  private readonly steps = new Map<string, number>();

  constructor(
    private readonly initial = 10,
    private stock = initial,
  ) {}

  /** Sets the time of the following events in microseconds, as a wrong clock would have written it. */
  at(t: number): this {
    this.t = t;
    return this;
  }

  arrives(request: string, replica = 'inventory-1', app = 'inventory'): this {
    const about = { request, balance: 'load', delta: -1, strategy: 'expiring', options: {} };
    return this.line({ type: 'request', app, ...about }, replica);
  }

  ends(request: string, code = 'APPLIED', replica = 'inventory-1', app = 'inventory'): this {
    return this.line({ type: 'outcome', app, request, code }, replica);
  }

  locks(request: string, replica = 'inventory-1', more: object = {}): this {
    const text = `SET ${KEY} locked PX 100 NX`;
    return this.step(request, replica, { verb: 'SET', text, reply: 'OK', order: ++this.order, ...more });
  }

  deletes(request: string, replica = 'inventory-1', more: object = {}): this {
    return this.step(request, replica, {
      verb: 'DEL',
      text: `DEL ${KEY}`,
      reply: 1,
      order: ++this.order,
      ...more,
    });
  }

  sql(request: string, replica = 'inventory-1', verb = 'UPDATE'): this {
    return this.step(request, replica, { kind: 'sql', verb, text: verb, key: undefined, reply: null });
  }

  step(request: string, replica: string, what: object): this {
    const n = (this.steps.get(request) ?? 0) + 1;
    this.steps.set(request, n);
    const about = { kind: 'redis', key: KEY, ...what };
    return this.line({ type: 'step', request, n, took: 100, ...about, ...recordedLock(about) }, replica);
  }

  line(what: object, replica = 'inventory-1', pid = pidOf(replica)): this {
    this.t += 1000;
    this.history.push({ t: this.t, replica, pid, ...what } as HistoryLine);
    return this;
  }

  /** The rows of a sale, from `before` or from the actual stock, and its answer. `order` false: no order, and the outcome is unknown. */
  sells(
    request: string,
    before = this.stock,
    {
      order = true,
      units = 1,
      segment = null,
    }: { order?: boolean; units?: number; segment?: number | null } = {},
  ): this {
    const id = this.movements.length + 1;
    const after = before - units;
    const origin = { request, replica: 'inventory-1', strategy: 'expiring', at: '2025-01-01T00:00:00.000Z' };
    this.movements.push({ id, segment, delta: -units, before, after, ...origin });
    if (order) this.orders.push({ request });
    this.stock = segment === null ? after : this.stock - units;
    const known = this.answers.findIndex((answer) => answer.request === request);
    const [answer] = known < 0 ? [] : this.answers.splice(known, 1);
    if (answer === undefined) return this.answered(request, order ? 'APPLIED' : 'OUTCOME_UNKNOWN', units);
    this.answers.push({ ...answer, quantity: answer.quantity + units }); // a further part of its sale
    return this;
  }

  answered(request: string, code: string, quantity = 1, key?: string): this {
    const answer = { request, status: 0, code, quantity, replica: 'order-1', at: 0, tookMs: 1 };
    this.answers.push({ ...answer, ...(key !== undefined && { key }) });
    return this;
  }

  /** Two concurrent requests on two replicas. */
  contention(): this {
    return this.arrives('a').arrives('b', 'inventory-2').ends('a').ends('b', 'APPLIED', 'inventory-2');
  }

  judge(more: Partial<Evidence> = {}, expected: Expectation = SAFE): LoadVerdict {
    const { history, movements, orders, answers, initial } = this;
    const about = { balance: 'load', strategy: 'expiring', initial, finalStock: this.stock, replicas: 2 };
    const rows = { movements, segments: [], orders, answers, locks: [], faults: [] };
    return judgeLoad(
      { ...about, ...rows, history: history.toSorted((a, b) => a.t - b.t), ...more },
      expected,
    );
  }
}

const pidOf = (replica: string): number => Number(replica.replace(/\D/g, '')) + 100;
