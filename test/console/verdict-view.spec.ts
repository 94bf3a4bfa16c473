import { verdictView } from '../../apps/console/src/runs/run-view';

const SAVED = {
  strategy: 'none',
  kind: 'stock',
  verdict: 'violated',
  mark: 'data-wrong',
  headline: 'DATA WRONG: a 11 of 10 sold, b 10 of 10 sold; a: 1 unit oversold',
  asExpected: true,
  because: ['a: 1 unit oversold'],
  reasons: [{ code: 'oversold', units: 1 }],
  violations: ['oversold'],
  sold: 21,
  initial: 20,
  finalStock: -1,
  oversold: 1,
  lostUpdates: 0,
} as const;

test('the Chinese reasons of a run of carts name the product', () => {
  const view = verdictView({ ...SAVED, cartReasons: [{ reason: SAVED.reasons[0], skus: ['a'] }] });
  expect(view.inChinese?.because).toEqual(['a：超卖 1 件']);
});

test('a folder of an older version has no products in the Chinese reasons', () => {
  expect(verdictView(SAVED).inChinese?.because).toEqual(['超卖 1 件']);
});

test('the reasons of a drill are said in Chinese; those of an older folder stay English', () => {
  const missing = {
    ...SAVED,
    kind: undefined,
    reasons: undefined,
    verdict: 'unknown',
    mark: 'unknown',
    sold: 1,
    initial: 1,
  } as const;
  const view = verdictView({
    ...missing,
    drillReasons: [
      { code: 'fact-does-not-hold', fact: 'A holds the lock' },
      { code: 'unfinished', buyer: 'B' },
      { code: 'violation', sentence: '1 lost: A and B both changed 1 to 0' },
    ],
  });
  expect(view.inChinese).toEqual({
    headline: '无法判定：这个前提不成立：A holds the lock；B 没有结束；少扣 1 件：A 和 B 都把 1 改成 0',
    because: ['这个前提不成立：A holds the lock', 'B 没有结束', '少扣 1 件：A 和 B 都把 1 改成 0'],
  });
  expect(verdictView(missing).inChinese).toBeUndefined();
});

test('the number of unexpected answers is in both languages; folders of older versions have other fields', () => {
  const groups = [{ status: 502, code: 'OUTCOME_UNKNOWN', count: 99 }];
  const view = verdictView({ ...SAVED, unexpected: { count: 99, of: 300, groups } });
  expect(view.unexpected).toBe('99 of 300 answers were unexpected: 502 OUTCOME_UNKNOWN');
  expect(view.inChinese?.unexpected).toBe('300 个应答中有 99 个不该出现：502 OUTCOME_UNKNOWN');
  expect(verdictView(SAVED).unexpected).toBeUndefined();
});

test.each([
  [
    ['LOCK.NOT_OBTAINED', 'APPLIED'],
    '2 requests carried after(SETNX)=kill, and the answer was LOCK.NOT_OBTAINED or APPLIED. Increase the time that it waits for the lock (--wait-ms), or reduce --connections',
    '2 个请求带有故障 after(SETNX)=kill，应答是 LOCK.NOT_OBTAINED 或 APPLIED。请延长等锁时间（--wait-ms），或减少并发买家（--connections）',
  ],
  [
    ['STOCK.SOLD_OUT'],
    '2 requests carried after(SETNX)=kill, and the answer was STOCK.SOLD_OUT. Increase --stock, or choose an earlier --fault-on',
    '2 个请求带有故障 after(SETNX)=kill，应答是 STOCK.SOLD_OUT。请增加库存（--stock），或让更早的请求带故障（--fault-on）',
  ],
  [
    [],
    '2 requests carried after(SETNX)=kill, and received no answer. "lab explore none" shows the steps of none at which a fault can fire',
    '2 个请求带有故障 after(SETNX)=kill，没有得到应答。"lab explore none" 会列出 none 的步骤，故障只能在这些步骤触发',
  ],
])('the view explains in English and in Chinese why a fault did not fire: %j', (codes, english, chinese) => {
  const view = verdictView(SAVED, { faults: ['after(SETNX)=kill'], carriers: 2, codes, strategy: 'none' });
  expect([view.because.at(-1), view.inChinese?.because.at(-1)]).toEqual([english, chinese]);
});
