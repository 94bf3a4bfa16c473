import { HistoryBuilder } from './history-builder';

const FAULT = 'after(SET)=delay(9)';
const faults = [FAULT];
const fires = { type: 'fault', request: 'a', fault: FAULT, action: 'delay', at: 'SET' };

/** Buyer a is hit; what happens before and after is the test's. */
const history = (
  before: (history: HistoryBuilder) => HistoryBuilder,
  after = (told: HistoryBuilder): HistoryBuilder => told,
): HistoryBuilder =>
  after(before(new HistoryBuilder()).line(fires))
    .ends('a')
    .ends('b', 'APPLIED', 'inventory-2')
    .sells('a')
    .sells('b');

const both = (told: HistoryBuilder): HistoryBuilder => told.arrives('a').arrives('b', 'inventory-2');
const start = { kind: 'sql', verb: 'START', text: 'START TRANSACTION', key: undefined, reply: null };
const forUpdate = { kind: 'sql', verb: 'SELECT', text: 'SELECT 1 FOR UPDATE', key: undefined, reply: [] };
const written = { kind: 'sql', verb: 'UPDATE', text: 'UPDATE', key: undefined, reply: { affectedRows: 1 } };
const nothingWritten = { ...written, reply: { affectedRows: 0 } };
const commit = { ...start, verb: 'COMMIT', text: 'COMMIT' };
const step = (what: object) => (told: HistoryBuilder) => told.step('a', 'inventory-1', what);
const named = (verb: 'SELECT GET' | 'DO RELEASE', reply: unknown) =>
  step({ kind: 'sql', verb: 'SELECT', text: `${verb}_LOCK(1)`, key: undefined, reply });

describe('a fault amidst others proves something', () => {
  test.each<[string, (told: HistoryBuilder) => HistoryBuilder]>([
    ['a key, its release not sent', (told) => both(told).locks('a')],
    ['a row that it has locked', (told) => step(forUpdate)(step(start)(both(told)))],
    ['a row that it has written', (told) => step(written)(step(start)(both(told)))],
    ['a named lock', (told) => named('SELECT GET', [{ taken: 1 }])(both(told))],
    [
      'a lock row',
      (told) => step({ ...written, verb: 'INSERT', text: 'INSERT INTO balance_lock' })(both(told)),
    ],
    ['a directory', (told) => step({ kind: 'fs', verb: 'MKDIR', text: 'MKDIR', reply: true })(both(told))],
    ['a mutex', (told) => step({ kind: 'local', verb: 'LOCK', text: 'LOCK', reply: null })(both(told))],
  ])('when its request held %s', (_, before) => {
    const { verdict, faults: fired } = history(before).judge({ faults, amidst: true });
    expect({ verdict, fired }).toMatchObject({ verdict: 'safe', fired: [{ holding: true, others: 1 }] });
  });
});

describe('a fault amidst others proves nothing', () => {
  test.each<[string, (told: HistoryBuilder) => HistoryBuilder]>([
    ['had not taken any lock', both],
    ['had tried in vain', (told) => both(told).locks('a', 'inventory-1', { reply: null })],
    ['had released it', (told) => both(told).locks('a').deletes('a')],
    ['had lost it to the next holder', (told) => both(told).locks('a').locks('b', 'inventory-2')],
    ['had written outside of a transaction', (told) => step(written)(both(told))],
    ['had written nothing', (told) => step(nothingWritten)(step(start)(both(told)))],
    ['had committed', (told) => step(commit)(step(written)(step(start)(both(told))))],
    [
      'had released its named lock',
      (told) => named('DO RELEASE', [])(named('SELECT GET', [{ taken: 1 }])(both(told))),
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

  test('when nobody else was there', () => {
    const alone = new HistoryBuilder().contention().arrives('c').locks('c');
    const told = alone
      .line({ ...fires, request: 'c' })
      .ends('c')
      .sells('a')
      .sells('b')
      .sells('c');
    const { verdict, because } = told.judge({ faults, amidst: true });
    expect({ verdict, because }).toEqual({
      verdict: 'unknown',
      because: [`no other request was under way when ${FAULT} fired`],
    });
  });

  test('and where it was meant for one buyer alone, that is no matter', () => {
    expect(history(both).judge({ faults })).toMatchObject({ verdict: 'safe', faultsProved: true });
  });
});
