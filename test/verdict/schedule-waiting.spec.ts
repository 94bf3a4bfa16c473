import {
  judgeSchedule,
  type FaultEvent,
  type LockChange,
  type ScheduleEvent,
  type ScheduleHistory,
  type StepEvent,
} from '#lab/verdict';
import { recordedLock } from '../harness/recorded-lock';

const LOCK = 'lock:{item}:planted';
/** The commands of a queue in ZooKeeper and etcd. */
const QUEUE_ROLES = { CREATE: 'acquire', PUT: 'acquire', DELETE: 'release', REVOKE: 'release' } as const;
const isQueueCommand = (verb: string): verb is keyof typeof QUEUE_ROLES => verb in QUEUE_ROLES;
type StepFields = Partial<Omit<StepEvent, 'type' | 'n' | 'actor'>>;

/** Builds the events of a schedule of A and B in order. A holds the lock from the first one. */
class HistoryBuilder {
  private readonly events: ScheduleEvent[] = [];

  constructor(private readonly more: Partial<ScheduleHistory> = {}) {}

  step(actor: string, verb: string, what: StepFields = {}): this {
    const n = this.events.length + 1;
    const about = { kind: 'redis', verb, text: `${verb} ${LOCK}`, key: LOCK, ...what };
    const queue =
      about.kind !== 'sql' && isQueueCommand(about.verb) ? { lock: { role: QUEUE_ROLES[about.verb] } } : {};
    this.events.push({ type: 'step', n, actor, ...queue, ...about, ...recordedLock(about) });
    return this;
  }

  sql(actor: string, verb: string, what: StepFields = {}): this {
    return this.step(actor, verb, { kind: 'sql', text: `${verb} balance`, ...what });
  }

  takes(actor: string, what: StepFields = {}, change: Partial<LockChange> = {}): this {
    return this.step(actor, 'SET', {
      locks: [{ key: LOCK, change: 'taken', by: actor, ...change }],
      ...what,
    });
  }

  frees(actor: string, what: StepFields = {}, nextHolder?: string): this {
    const locks: LockChange[] = [{ key: LOCK, change: 'released', by: actor, owner: actor }];
    if (nextHolder !== undefined) locks.push({ key: LOCK, change: 'taken', by: nextHolder });
    return this.step(actor, 'EVALSHA', { script: 'release-if-owner', locks, ...what });
  }

  lapses(owner: string): this {
    const n = this.events.length + 1;
    const locks: LockChange[] = [{ key: LOCK, change: 'expired', owner }];
    this.events.push({ type: 'fault', n, fault: 'lapse', subject: LOCK, text: '', effective: true, locks });
    return this;
  }

  fault(fault: FaultEvent['fault'], subject: string): this {
    const n = this.events.length + 1;
    this.events.push({ type: 'fault', n, at: n, fault, subject, text: '', effective: true });
    return this;
  }

  dies(process: string): this {
    return this.fault('kill', process);
  }

  timePasses(): this {
    this.events.push({ type: 'time', n: this.events.length + 1, text: '' });
    return this;
  }

  ends(actor: string, code: string): this {
    this.events.push({ type: 'end', n: this.events.length + 1, actor, code, text: code });
    return this;
  }

  /** The violations with their sentences. */
  judge(): readonly (readonly [kind: string, sentence: string])[] {
    const whole: ScheduleHistory = {
      strategy: 'planted',
      stock: 1,
      leaseMs: 1000,
      actors: [
        { name: 'A', process: 'p1' },
        { name: 'B', process: 'p2' },
      ],
      events: this.events,
      final: { amount: 1, amounts: { item: 1 }, movements: [], locks: [] },
      ...this.more,
    };
    return judgeSchedule(whole).violations.map(({ kind, sentence }) => [kind, sentence]);
  }

  kinds(): readonly string[] {
    return this.judge().map(([kind]) => kind);
  }
}

describe('a refused request', () => {
  test('is not starved when it failed while the holder was at work, even if the holder ends before the answer', () => {
    const history = new HistoryBuilder().takes('A').step('B', 'SET').frees('A').ends('A', 'LOCK.LOST');
    expect(history.step('B', 'PING', { key: 'other' }).ends('B', 'LOCK.NOT_OBTAINED').kinds()).toEqual([]);
  });

  test('is starved behind a holder that has ended and left its lock', () => {
    const history = new HistoryBuilder()
      .takes('A')
      .ends('A', 'LOCK.LOST')
      .step('B', 'SET')
      .ends('B', 'LOCK.NOT_OBTAINED');
    expect(history.judge()).toEqual([
      ['starved', 'B was refused at step 4 although A, whose lock it is, had ended at step 2'],
    ]);
  });

  test.each([
    ['zk', 'CREATE', 'DELETE'],
    ['etcd', 'PUT', 'REVOKE'],
  ])('%s: has not waited for its own lock when it removes its queue entry', (kind, enter, leave) => {
    const history = new HistoryBuilder()
      .takes('A', { kind })
      .step('B', enter, { kind })
      .frees('A', { kind, verb: leave }, 'B');
    const left = history.ends('A', 'LOCK.LOST').frees('B', { kind, verb: leave });
    expect(left.ends('B', 'LOCK.NOT_OBTAINED').kinds()).toEqual([]);
  });

  test('deadlocks with itself when it holds the lock', () => {
    const history = new HistoryBuilder()
      .takes('B')
      .step('B', 'SET')
      .ends('B', 'LOCK.NOT_OBTAINED')
      .ends('A', 'LOCK.LOST');
    expect(history.kinds()).toEqual(['dead-lock']);
  });
});

describe('a statement that the database aborted in a deadlock', () => {
  const failed = { error: 'Deadlock found when trying to get lock', errorCode: 'ER_LOCK_DEADLOCK' };
  const aborted = (code: string): HistoryBuilder =>
    new HistoryBuilder().sql('A', 'INSERT', failed).ends('A', code).ends('B', 'LOCK.LOST');

  test('is a violation when its request fails with it', () => {
    expect(aborted('ER_LOCK_DEADLOCK').kinds()).toEqual(['dead-lock']);
  });

  test('is no violation when its request retries and succeeds', () => {
    expect(aborted('STOCK.SOLD_OUT').kinds()).not.toContain('dead-lock');
  });
});

describe('two holders', () => {
  test('are reported when the first one is still at work', () => {
    const history = new HistoryBuilder()
      .takes('A')
      .sql('A', 'SELECT')
      .lapses('A')
      .takes('B')
      .sql('B', 'SELECT');
    const [overlap] = history.sql('A', 'UPDATE').ends('A', 'LOCK.LOST').ends('B', 'LOCK.LOST').judge();
    expect(overlap).toEqual([
      'overlap',
      "two holders: A took the lock at step 1, A's lease ended at step 3, B took it at step 4, and A was at work until step 6",
    ]);
  });

  test.each(['SELECT', 'START'])('are not reported when only a late %s of a dead process arrives', (verb) => {
    const history = new HistoryBuilder()
      .takes('A')
      .sql('A', 'SELECT')
      .dies('p1')
      .lapses('A')
      .takes('B')
      .sql('B', 'SELECT');
    const fault = 'in-flight';
    expect(history.sql('A', verb, { fault }).ends('B', 'LOCK.LOST').kinds()).toEqual([]);
  });

  test('are reported when an UPDATE of a dead process arrives late', () => {
    const history = new HistoryBuilder()
      .takes('A')
      .sql('A', 'SELECT')
      .dies('p1')
      .lapses('A')
      .takes('B')
      .sql('B', 'SELECT');
    expect(history.sql('A', 'UPDATE', { fault: 'in-flight' }).ends('B', 'LOCK.LOST').kinds()).toEqual([
      'overlap',
    ]);
  });

  test('are dated from the end of the lease that was replaced by its own holder', () => {
    const again: LockChange = { key: LOCK, change: 'replaced', by: 'A', owner: 'A' };
    const history = new HistoryBuilder()
      .takes('A')
      .step('A', 'EVALSHA', { locks: [again] })
      .sql('A', 'SELECT')
      .lapses('A');
    const late = history.takes('B').sql('B', 'SELECT').sql('A', 'UPDATE');
    const [overlap] = late.ends('A', 'LOCK.LOST').ends('B', 'LOCK.LOST').judge();
    expect(overlap?.[1]).toContain("A's lease ended at step 4");
  });

  test('are not reported for a lock in three parts when the first one enters after the second one has left', () => {
    const part = (i: number): Partial<LockChange> => ({ key: `redis-${i} ${LOCK}`, lock: LOCK });
    const history = new HistoryBuilder({ parts: 3 });
    for (const i of [1, 2]) history.takes('A', {}, part(i));
    const n = 3;
    const expired: LockChange[] = [1, 2].map((i) => ({ key: '', ...part(i), change: 'expired', owner: 'A' }));
    history.step('B', 'PING', { key: 'other', locks: expired });
    for (const i of [1, 2, n]) history.takes('B', {}, part(i));
    history.sql('B', 'SELECT').sql('B', 'COMMIT');
    const freed: LockChange[] = [1, 2, n].map((i) => ({
      key: '',
      ...part(i),
      change: 'released',
      by: 'B',
      owner: 'B',
    }));
    history.step('B', 'EVALSHA', { script: 'release-if-owner', locks: freed }).ends('B', 'LOCK.LOST');
    history.takes('A', {}, part(n)).sql('A', 'SELECT').ends('A', 'STOCK.SOLD_OUT');
    expect(history.kinds()).not.toContain('overlap');
  });
});

describe('missing units', () => {
  test('without a movement are undersold although no request was refused', () => {
    const final = { amount: 0, amounts: { item: 0 }, movements: [], locks: [] };
    expect(new HistoryBuilder({ final }).dies('p1').ends('B', 'LOCK.LOST').judge()).toEqual([
      ['undersold', 'units are gone: the balance is 0, the movements say 1'],
    ]);
  });
});

describe("holders that request each other's lock", () => {
  const [first, second] = ['lock:{x}:planted', 'lock:{y}:planted'];
  const crossed = (last: StepFields): readonly string[] =>
    new HistoryBuilder()
      .takes('A', { key: first }, { key: first })
      .takes('B', { key: second }, { key: second })
      .step('A', 'SET', { key: second, reply: null })
      .step('B', 'SET', { key: first, ...last })
      .timePasses()
      .ends('A', 'LOCK.LOST')
      .ends('B', 'LOCK.LOST')
      .kinds();

  test('wait for each other', () => {
    expect(crossed({ reply: null })).toEqual(['dead-lock']);
  });

  test('do not when the command of one of them was not sent', () => {
    expect(crossed({ error: 'connection refused', fault: 'cut' })).toEqual([]);
  });
});

describe('a lock in three parts that a waiter does not get', () => {
  const part = (n: number): string => `redis-${n} ${LOCK}`;
  const takes = (history: HistoryBuilder, actor: string, n: number): HistoryBuilder =>
    history.step(actor, 'SET', { locks: [{ key: part(n), change: 'taken', by: actor }] });
  const refused = (history: HistoryBuilder, actor: string): HistoryBuilder =>
    history
      .step(actor, 'SET', { reply: null })
      .step(actor, 'WAIT', { kind: 'timer' })
      .ends(actor, 'LOCK.NOT_OBTAINED');

  test('is no violation when the votes are split: no actor has more than half', () => {
    const history = new HistoryBuilder({ parts: 3 });
    expect(refused(takes(takes(history, 'A', 1), 'B', 2).ends('A', 'LOCK.LOST'), 'B').kinds()).toEqual([]);
  });

  test('is no violation when it obtains all parts too late, and releases them', () => {
    const history = new HistoryBuilder({ parts: 3 }).ends('A', 'LOCK.LOST');
    const late = takes(takes(takes(history, 'B', 1), 'B', 2), 'B', 3);
    expect(late.ends('B', 'LOCK.NOT_OBTAINED').kinds()).toEqual([]);
  });

  test('is no violation when another actor has the last part', () => {
    const history = new HistoryBuilder({ parts: 3 }).ends('A', 'LOCK.LOST');
    const split = takes(takes(takes(history, 'B', 1), 'B', 2), 'A', 3);
    expect(refused(split, 'B').kinds()).toEqual([]);
  });

  test('is a dead-lock when the waiter has more than half itself', () => {
    const history = new HistoryBuilder({ parts: 3 });
    expect(refused(takes(takes(history, 'B', 1), 'B', 2).ends('A', 'LOCK.LOST'), 'B').kinds()).toEqual([
      'dead-lock',
    ]);
  });

  test('is starvation when the actor with more than half has ended', () => {
    const history = new HistoryBuilder({ parts: 3 });
    const left = takes(takes(history, 'A', 1), 'A', 2).ends('A', 'LOCK.LOST');
    expect(refused(left, 'B').kinds()).toEqual(['starved']);
  });
});

describe('a buyer that the row refuses as stale', () => {
  const refused = (history: HistoryBuilder): readonly string[] =>
    history
      .step('B', 'EVALSHA')
      .sql('B', 'UPDATE', { reply: { affectedRows: 0 } })
      .ends('B', 'LOCK.FENCED')
      .ends('A', 'LOCK.LOST')
      .kinds();

  test('is starved when the other one has taken no step since its first', () => {
    expect(refused(new HistoryBuilder().step('A', 'EVALSHA'))).toEqual(['starved']);
  });

  test('is no violation when the other one has taken a step meanwhile', () => {
    expect(refused(new HistoryBuilder().step('B', 'EVALSHA').step('A', 'EVALSHA'))).toEqual([]);
  });

  test('is no violation when a step of the other one was answered meanwhile', () => {
    expect(refused(new HistoryBuilder().sql('A', 'UPDATE', { answeredAt: 3 }))).toEqual([]);
  });

  test('is no violation after Redis has lost the counter', () => {
    expect(refused(new HistoryBuilder().step('A', 'EVALSHA').fault('flush', 'Redis'))).toEqual([]);
  });
});
