import { unknownInChinese, type UnknownReason } from '#lab/explore';
import { FAULTS, type FaultName } from '#lab/strategy';
import { HARMS } from '#lab/verdict';

/** Of each code at least one. */
const REASONS: {
  readonly [Code in UnknownReason['code']]: readonly Extract<UnknownReason, { code: Code }>[];
} = {
  'fault-never-fired': (Object.keys(FAULTS) as FaultName[]).map((fault) => ({
    code: 'fault-never-fired',
    fault,
  })),
  incomplete: [
    { code: 'incomplete' },
    ...HARMS.map((harm) => ({ code: 'incomplete', found: { harm, schedules: 3 } }) as const),
  ],
  'no-contention': [{ code: 'no-contention' }],
  diverged: [{ code: 'diverged', message: 'GET LOCK' }],
};

/** What stays as it is: the name of a fault in parentheses, and names that begin in upper case. */
const NAMES = /（[a-z-]+）|\b[A-Z]\w*\b/g;

test('unknownInChinese has a sentence for each code, each fault and each harm', () => {
  const said = Object.values(REASONS).flatMap((reasons) => reasons.map(unknownInChinese));
  expect(said.length).toBeGreaterThan(Object.keys(FAULTS).length);
  expect(new Set(said).size).toBe(said.length);
  expect(
    said.filter((text) => !/\p{Script=Han}/u.test(text) || /[a-z]/i.test(text.replaceAll(NAMES, ''))),
  ).toEqual([]);
});

test('unknownInChinese names the fault that did not fire, and the harm that was found so far', () => {
  expect(unknownInChinese({ code: 'fault-never-fired', fault: 'lapse' })).toBe(
    '故障“锁过期”（lapse）从未发生：这里没有它能作用的对象',
  );
  expect(unknownInChinese({ code: 'incomplete', found: { harm: 'unavailable', schedules: 3 } })).toBe(
    '其中 3 个调度：卡死或不可用；没有跑完所有调度，可能还有未发现的数据错误',
  );
});
