import type { LockRole, StepKind } from '#lab/step';
import { HistoryBuilder } from './history-builder';

const FAULT = 'after(SET)=delay(9)';
const faults = [FAULT];
const fires = { type: 'fault', request: 'a', fault: FAULT, action: 'delay', at: 'SET' };

/** Request a is hit; the tests provide the events before and after. */
const history = (
  before: (history: HistoryBuilder) => HistoryBuilder,
  after = (builder: HistoryBuilder): HistoryBuilder => builder,
): HistoryBuilder =>
  after(before(new HistoryBuilder()).line(fires))
    .ends('a')
    .ends('b', 'APPLIED', 'inventory-2')
    .sells('a')
    .sells('b');

const both = (builder: HistoryBuilder): HistoryBuilder => builder.arrives('a').arrives('b', 'inventory-2');
const start = { kind: 'sql', verb: 'START', text: 'START TRANSACTION', key: undefined, reply: null };
const forUpdate = { kind: 'sql', verb: 'SELECT', text: 'SELECT 1 FOR UPDATE', key: undefined, reply: [] };
const written = { kind: 'sql', verb: 'UPDATE', text: 'UPDATE', key: undefined, reply: { affectedRows: 1 } };
const nothingWritten = { ...written, reply: { affectedRows: 0 } };
const commit = { ...start, verb: 'COMMIT', text: 'COMMIT' };
const step = (what: object) => (builder: HistoryBuilder) => builder.step('a', 'inventory-1', what);
/** A step on a lock that is no key of a server. */
const onLock = (role: LockRole, kind: StepKind) =>
  step({ kind, verb: 'SELECT', text: 'SELECT', key: undefined, reply: null, lock: { role, done: true } });

describe('a fault among concurrent requests proves something', () => {
  test.each<[string, (builder: HistoryBuilder) => HistoryBuilder]>([
    ['a key that it had not released', (builder) => both(builder).locks('a')],
    ['a row that it had locked', (builder) => step(forUpdate)(step(start)(both(builder)))],
    ['a row that it had written', (builder) => step(written)(step(start)(both(builder)))],
    ['a named lock or a lock row', (builder) => onLock('acquire', 'sql')(both(builder))],
    ['a directory', (builder) => onLock('acquire', 'fs')(both(builder))],
    ['a mutex', (builder) => onLock('acquire', 'local')(both(builder))],
  ])('when its request held %s', (_, before) => {
    const { verdict, faults: fired } = history(before).judge({ faults, amidst: true });
    expect({ verdict, fired }).toMatchObject({ verdict: 'safe', fired: [{ holding: true, others: 1 }] });
  });
});

describe('a fault among concurrent requests proves nothing', () => {
  test.each<[string, (builder: HistoryBuilder) => HistoryBuilder]>([
    ['had not taken any lock', both],
    ['had failed to acquire it', (builder) => both(builder).locks('a', 'inventory-1', { reply: null })],
    ['had released it', (builder) => both(builder).locks('a').deletes('a')],
    ['had lost it to the next holder', (builder) => both(builder).locks('a').locks('b', 'inventory-2')],
    ['had written outside of a transaction', (builder) => step(written)(both(builder))],
    ['had written nothing', (builder) => step(nothingWritten)(step(start)(both(builder)))],
    ['had committed', (builder) => step(commit)(step(written)(step(start)(both(builder))))],
    [
      'had released its named lock',
      (builder) => onLock('release', 'sql')(onLock('acquire', 'sql')(both(builder))),
    ],
  ])('when its request %s', (_, before) => {
    const { verdict, because, faultsProved } = history(before).judge({ faults, amidst: true });
    expect({ verdict, faultsProved }).not.toMatchObject({ verdict: 'safe' });
    expect(faultsProved).toBe(false);
    expect(because).toContain(`a held no lock when ${FAULT} fired`);
  });

  test('when its lease was over', () => {
    const about = {
      request: 'a',
      balance: 'load',
      delta: -1,
      strategy: 'expiring',
      options: { leaseMs: 100 },
    };
    const late = new HistoryBuilder()
      .line({ type: 'request', app: 'inventory', ...about })
      .arrives('b', 'inventory-2')
      .locks('a')
      .at(200_000)
      .line(fires)
      .ends('a')
      .ends('b', 'APPLIED', 'inventory-2')
      .sells('a')
      .sells('b');
    expect(late.judge({ faults, amidst: true }).because).toEqual([`a held no lock when ${FAULT} fired`]);
  });

  test('when there was no other request', () => {
    const alone = new HistoryBuilder().contention().arrives('c').locks('c');
    const builder = alone
      .line({ ...fires, request: 'c' })
      .ends('c')
      .sells('a')
      .sells('b')
      .sells('c');
    const { verdict, because } = builder.judge({ faults, amidst: true });
    expect({ verdict, because }).toEqual({
      verdict: 'unknown',
      because: [`no other request was running when ${FAULT} fired`],
    });
  });

  test('but one that targets a single buyer does not need others', () => {
    expect(history(both).judge({ faults })).toMatchObject({ verdict: 'safe', faultsProved: true });
  });
});
