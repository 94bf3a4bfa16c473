import type { DecisionLine } from '#lab/step';
import { judgeLimit, mostInAnyWindow, type LimitEvidence, type LimitVerdict } from '#lab/verdict';

const LIMIT = { max: 2, windowMs: 1000, burst: 0 };

/** A decision at `ms`, by the clock of Redis unless `clock` is the host's. */
const decision = (
  ms: number,
  { clock = 'redis', ...more }: Partial<DecisionLine> & { clock?: 'redis' | 'host' } = {},
): DecisionLine => ({
  type: 'decision',
  t: 1000 * ms,
  replica: 'inventory-1',
  pid: 1,
  request: `r${ms}`,
  limiter: 'any',
  client: 'ann',
  ...LIMIT,
  admitted: true,
  ...(clock === 'redis' && { at: 5_000_000 + ms }),
  ...more,
});

const judge = (decisions: readonly DecisionLine[], more: Partial<LimitEvidence> = {}): LimitVerdict =>
  judgeLimit(
    {
      limiter: 'any',
      limit: LIMIT,
      promise: LIMIT.max,
      decisions,
      peers: [],
      endlessKeys: [],
      unproved: [],
      ...more,
    },
    { must: [], may: [] },
  );

const refused = { admitted: false };
const tested = [decision(5000, refused), decision(5001, { ...refused, replica: 'inventory-2' })];

test('a window includes its beginning and not its end', () => {
  const most = (...times: number[]) =>
    mostInAnyWindow(
      times.map((ms) => decision(ms)),
      1000,
    ).admitted;
  expect(most(0, 1000, 2000)).toBe(1);
  expect(most(0, 999, 1000, 1998)).toBe(3);
  expect(most(600, 700, 1100, 1200)).toBe(4);
});

test('refused requests and those of other clients are not counted', () => {
  const decisions = [decision(0), decision(1, refused), decision(2, { client: 'bob' }), decision(3)];
  expect(mostInAnyWindow(decisions, 1000)).toMatchObject({ client: 'ann', admitted: 2, clock: 'redis' });
});

test('the clock of Redis is used only if every admitted request has its time', () => {
  const decisions = [decision(0), decision(1, { clock: 'host' })];
  expect(mostInAnyWindow(decisions, 1000)).toMatchObject({ admitted: 2, clock: 'host', from: 0 });
});

test('one request more than the promise is a violation', () => {
  const verdict = judge([decision(0), decision(1), decision(999), ...tested]);
  expect(verdict).toMatchObject({
    verdict: 'violated',
    violations: ['over-limit'],
    mark: 'data-wrong',
    asExpected: false,
  });
  expect(verdict.because[0]).toContain('3 requests were admitted in 1000 ms, 2 are promised');
});

test('a limiter is safe only if it refused a request and two replicas decided', () => {
  expect(judge([decision(0), decision(1), ...tested])).toMatchObject({
    verdict: 'safe',
    mark: 'safe',
    asExpected: true,
  });
  expect(judge([decision(0), decision(1, { replica: 'inventory-2' })])).toMatchObject({ verdict: 'unknown' });
  expect(judge([decision(0), decision(1, refused)])).toMatchObject({ verdict: 'unknown' });
  expect(judge([decision(0), ...tested], { unproved: ['late'] })).toMatchObject({
    verdict: 'unknown',
    because: ['late'],
  });
});

test('a client is blocked for ever when it is refused after an idle window, and its key has no expiry', () => {
  const key = [{ client: 'ann', key: 'limit:{ann}:any' }];
  expect(judge([decision(0), ...tested], { endlessKeys: key })).toMatchObject({
    violations: ['blocked-forever'],
    mark: 'unavailable',
  });
  expect(judge([decision(4500), ...tested], { endlessKeys: key }).violations).toEqual([]);
  expect(judge([decision(0), ...tested]).violations).toEqual([]);
});

test('clients with the same load are compared', () => {
  const load = [decision(0), decision(1), decision(2, { client: 'bob' }), ...tested];
  expect(judge(load, { peers: ['ann', 'bob'] })).toMatchObject({ fairness: 0.5, violations: [] });
  expect(judge(load, { peers: ['ann', 'bob', 'cid'] })).toMatchObject({
    fairness: 0,
    violations: ['unfair'],
  });
});

test('requests that were refused because Redis was away are a violation of their own', () => {
  const down = decision(6000, { ...refused, onError: 'closed' });
  expect(judge([decision(0), ...tested, down])).toMatchObject({
    violations: ['limiter-down'],
    mark: 'unavailable',
  });
});
