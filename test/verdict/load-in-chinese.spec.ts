import {
  mechanismInChinese,
  protectionInChinese,
  reasonInChinese,
  type LoadMechanism,
  type Protection,
  type Reason,
} from '#lab/verdict';

const pairs = [
  { key: 'k', by: 'R1', owner: 'R2' },
  { key: 'k', by: 'R3', owner: 'R4' },
];
const refusal = { request: 'R1', replica: 'I-1', code: 'LOCK.FENCED', statement: 'UPDATE' };

/** A reason of each code. All names in them are in upper case. */
const REASONS: Readonly<{ [Code in Reason['code']]: Extract<Reason, { code: Code }> }> = {
  oversold: { code: 'oversold', units: 3 },
  'lost-update': {
    code: 'lost-update',
    updates: 3,
    credits: false,
    duplicate: {
      value: 7,
      sales: [
        { request: 'R1', replica: 'I-1' },
        { request: 'R2', replica: 'I-2' },
      ],
    },
  },
  overlap: { code: 'overlap', times: 2 },
  'foreign-release': { code: 'foreign-release', releases: pairs },
  'foreign-renewal': { code: 'foreign-renewal', renewals: pairs.slice(0, 1) },
  stuck: { code: 'stuck', keys: ['K'] },
  'refused-with-stock': { code: 'refused-with-stock', buyers: 2 },
  leaked: { code: 'leaked', units: 2, credits: false },
  'movement-without-order': { code: 'movement-without-order', requests: ['R1'] },
  'order-without-movement': { code: 'order-without-movement', requests: ['R1'] },
  'applied-without-rows': { code: 'applied-without-rows', requests: ['R1'] },
  'sold-but-refused': { code: 'sold-but-refused', requests: ['R1'] },
  'key-with-orders': { code: 'key-with-orders', keys: ['K'] },
  'other-units': { code: 'other-units', requests: ['R1'] },
  unavailable: { code: 'unavailable', server: 'S' },
  'dead-lock': {
    code: 'dead-lock',
    cycles: [
      {
        waiters: [
          { request: 'R1', waitsFor: 'R2' },
          { request: 'R2', waitsFor: 'R1' },
        ],
      },
    ],
  },
  'torn-cart': { code: 'torn-cart', requests: ['R1'] },
  exact: { code: 'exact', credits: false },
  'refused-stale': { code: 'refused-stale', refusals: [refusal] },
  'lease-outpaced': {
    code: 'lease-outpaced',
    outpaced: [{ request: 'R1', replica: 'I-1', leaseMs: 100, lateMs: 2.5 }],
  },
  'no-contention': { code: 'no-contention', acrossReplicas: true },
  'fault-not-fired': { code: 'fault-not-fired', fault: 'F' },
  'fault-not-witnessed': { code: 'fault-not-witnessed', fault: 'F' },
  'fault-missed-holder': { code: 'fault-missed-holder', fault: 'F', request: 'R1' },
  'fault-without-waiters': { code: 'fault-without-waiters', fault: 'F' },
  'not-at-rest': { code: 'not-at-rest', running: [] },
  'nothing-sold': { code: 'nothing-sold', initial: 10 },
  'undocumented-answers': { code: 'undocumented-answers', answers: 2, example: 'HTTP_502' },
  'refused-by-servers': { code: 'refused-by-servers', buyers: 2 },
  'server-not-needed': { code: 'server-not-needed', server: 'S' },
  'history-dropped': { code: 'history-dropped', replicas: ['I-1'], bytes: 1000 },
  'reused-request-ids': { code: 'reused-request-ids', requests: 2 },
  'commands-without-order': { code: 'commands-without-order', commands: 2 },
  'broken-chain': {
    code: 'broken-chain',
    contradiction: { kind: 'gap', sentence: 'the stock was 3', requests: ['R1', 'R2'] },
  },
};

/** What stays as it is: names in upper case, the header, and the word for an identity. */
const NAMES = /Idempotency-Key|\bid\b|\b[A-Z][A-Z0-9_.-]*\b/g;
const isEnglish = (text: string): boolean => /[a-z]/i.test(text.replaceAll(NAMES, ''));

test.each(['stock', 'account'] as const)('%s: reasonInChinese has a sentence for each code', (kind) => {
  const said = Object.values(REASONS).map((reason) => reasonInChinese(reason, kind));
  expect(said.filter((text) => !/\p{Script=Han}/u.test(text) || isEnglish(text))).toEqual([]);
});

test('the reason names the requests and the replicas that it is about', () => {
  expect(reasonInChinese(REASONS['lost-update'], 'stock')).toBe(
    '丢失 3 次更新：已售出，库存却没有扣；I-1 上的 R1 和 I-2 上的 R2 写入了同一个余量 7',
  );
  expect(reasonInChinese(REASONS['foreign-release'], 'stock')).toBe('R1 删掉了 R2 的锁，这样的共 2 次');
  expect(reasonInChinese(REASONS['broken-chain'], 'stock')).toContain('R1 和 R2 ');
});

test('protectionInChinese has a sentence for each code', () => {
  const protections: { readonly [Code in Protection['code']]: Protection & { readonly code: Code } } = {
    'deadlock-victim': { code: 'deadlock-victim', requests: 2 },
    mutex: { code: 'mutex', requests: 2 },
    lock: { code: 'lock', requests: 2 },
    'row-lock': { code: 'row-lock', statement: 'SELECT … FOR UPDATE', requests: 2 },
    'named-lock': { code: 'named-lock', requests: 2 },
    refused: { code: 'refused', statement: 'UPDATE', requests: 2 },
  };
  const said = Object.values(protections).map(protectionInChinese);
  expect(said.filter((text) => !text.includes('2 个请求') || isEnglish(text))).toEqual([]);
  expect(new Set(said).size).toBe(said.length);
});

const mechanism = (cause: LoadMechanism['cause']): LoadMechanism => ({
  cause,
  early: { request: 'R1', committed: 9, atMs: 5.04 },
  late: { request: 'R2', read: 10, atMs: 1 },
});

test('mechanismInChinese states how a unit was sold twice', () => {
  const lease = { workMs: 300, leaseMs: 200 };
  expect(mechanismInChinese(mechanism({ code: 'overlap', first: 'R1', second: 'R2', lease }))).toBe(
    'R1 的业务耗时 300 毫秒，超过租期 200 毫秒，还没有干完，R2 就拿到了锁；' +
      'R2 读到 10（第 1.0 毫秒），之后 R1 才提交 9（第 5.0 毫秒）',
  );
  const others: LoadMechanism['cause'][] = [
    { code: 'overlap', first: 'R1', second: 'R2', lease: null },
    { code: 'other-mutex', replica: 'I-1', other: 'I-2' },
    { code: 'read-before-row-lock' },
    { code: 'earlier-snapshot' },
    { code: 'not-covered' },
    { code: 'unprotected' },
  ];
  expect(others.map((cause) => mechanismInChinese(mechanism(cause))).filter(isEnglish)).toEqual([]);
});
