import { LIMITERS } from '#lab/limit';
import type { Listener } from '#lab/step';
import { eventually } from '../harness/eventually';
import { admittedOf, LimitedClient, recording } from './two-processes';

/** Longer than a spec: no window ends by itself. */
const HOUR = 3_600_000;
let client: LimitedClient;
const open = async (limiter: string, limit: { max: number; windowMs?: number; burst?: number }) =>
  (client = await LimitedClient.open(limiter, { windowMs: HOUR, ...limit }));
afterEach(() => {
  client.close();
});

const EXACT = LIMITERS.filter(({ expected }) => expected.edge === undefined).map(({ name }) => name);

describe.each(EXACT)('the exact limiter %s', (name) => {
  test('admits its promise at most, when two processes decide about many requests at once', async () => {
    await open(name, { max: 10 });
    const decisions = await client.decideMany(60);
    expect(admittedOf(decisions)).toBeGreaterThan(0);
    expect(admittedOf(decisions)).toBeLessThanOrEqual(client.promise);
    for (const { admitted, retryAfterMs, at } of decisions) {
      expect(admitted || Number(retryAfterMs) > 0).toBe(true);
      expect(at).toBeGreaterThan(0);
    }
  });

  test('sends one command per decision', async () => {
    await open(name, { max: 2, ...(name === 'token-bucket' && { burst: 1 }) });
    for (let i = 0; i < 3; i++) {
      const { steps, listener } = recording();
      await client.decide({ listener });
      expect(steps.map(({ verb }) => verb)).toEqual(['EVALSHA']);
    }
  });

  test('its key expires', async () => {
    await open(name, { max: 5 });
    await client.decide();
    expect(await client.redis.pttl(client.key)).toBeGreaterThan(0);
  });
});

describe('fixed-window', () => {
  test('admits the limit, refuses the rest, and says when the window ends', async () => {
    await open('fixed-window', { max: 3 });
    const decisions = await client.decideMany(8);
    expect(admittedOf(decisions)).toBe(3);
    const refused = decisions.find(({ admitted }) => !admitted);
    expect(refused?.remaining).toBe(0);
    expect(refused?.retryAfterMs).toBeLessThanOrEqual(HOUR);
  });

  test('admits twice the limit around the end of a window', async () => {
    await open('fixed-window', { max: 5 });
    const before = await client.decideMany(5);
    await client.redis.pexpire(client.key, 1); // the window ends now
    await eventually('the window has ended', async () => (await client.redis.exists(client.key)) === 0);
    const after = await client.decideMany(5);
    expect(admittedOf([...before, ...after])).toBe(10);
  });

  test('a process that dies after its command leaves a count that expires', async () => {
    await open('fixed-window', { max: 2 });
    await expect(client.decide({ listener: diesAfter('EVALSHA') })).rejects.toThrow('died');
    expect(await client.redis.pttl(client.key)).toBeGreaterThan(0);
  });
});

describe('fixed-window-two-commands', () => {
  test('a process that dies between its two commands blocks the client for ever', async () => {
    await open('fixed-window-two-commands', { max: 2, windowMs: 10 });
    await expect(client.decide({ listener: diesAfter('INCR') })).rejects.toThrow('died');
    expect(await client.redis.pttl(client.key)).toBe(-1);
    await client.decideMany(2);
    // the key would have ended after 10 ms, and it never will
    expect(admittedOf(await client.decideMany(10))).toBe(0);
    expect(await client.redis.pttl(client.key)).toBe(-1);
  });
});

describe('sliding-log', () => {
  test('admits again when the oldest request has left the window, and not before', async () => {
    await open('sliding-log', { max: 2 });
    await client.decide({ at: 10 * HOUR });
    await client.decide({ at: 10.4 * HOUR });
    expect(await client.decide({ at: 11 * HOUR - 1 })).toMatchObject({ admitted: false, retryAfterMs: 1 });
    expect(await client.decide({ at: 11 * HOUR })).toMatchObject({ admitted: true, at: 11 * HOUR });
    expect((await client.decide({ at: 11.4 * HOUR - 1 })).admitted).toBe(false);
  });

  test('says how many requests remain, also after some have left the window', async () => {
    await open('sliding-log', { max: 3 });
    const remaining: number[] = [];
    for (const hour of [10, 10.1, 11.05])
      remaining.push((await client.decide({ at: hour * HOUR })).remaining);
    expect(remaining).toEqual([2, 1, 1]);
  });
});

describe('sliding-log-unatomic', () => {
  test('requests that count before one of them is added are all admitted', async () => {
    await open('sliding-log-unatomic', { max: 1 });
    let counted = 0;
    let release: () => void = () => undefined;
    const allCounted = new Promise<void>((resolve) => (release = resolve));
    const listener: Listener = async (step, issue) => {
      const reply = await issue();
      if (step.script === 'read-log') {
        if (++counted === 6) release();
        await allCounted;
      }
      return reply;
    };
    expect(admittedOf(await client.decideMany(6, { listener }))).toBe(6);
    expect(admittedOf(await client.decideMany(6))).toBe(0);
  });
});

describe('sliding-counter', () => {
  test('admits nearly twice the limit when the requests of a window came at its end', async () => {
    await open('sliding-counter', { max: 10 });
    const before = await client.decideMany(15, { at: 11 * HOUR - 1 });
    const after = await client.decideMany(15, { at: 11.9 * HOUR });
    expect([admittedOf(before), admittedOf(after)]).toEqual([10, 9]);
  });

  test('admits the limit when the requests are spread evenly', async () => {
    await open('sliding-counter', { max: 10 });
    const times = Array.from({ length: 60 }, (_, i) => (10 + i / 20) * HOUR);
    const admitted: number[] = [];
    for (const at of times) if ((await client.decide({ at })).admitted) admitted.push(at);
    const inWindow = (from: number) => admitted.filter((at) => at >= from && at < from + HOUR).length;
    expect(Math.max(...times.map(inWindow))).toBeLessThanOrEqual(11);
  });

  test('says when the next request would be admitted', async () => {
    await open('sliding-counter', { max: 4 });
    await client.decideMany(4, { at: 10.1 * HOUR });
    const refused = await client.decide({ at: 10.2 * HOUR });
    expect(refused.admitted).toBe(false);
    const next = 10.2 * HOUR + (refused.retryAfterMs ?? NaN);
    expect((await client.decide({ at: next - 2 })).admitted).toBe(false);
    expect((await client.decide({ at: next })).admitted).toBe(true);
  });
});

describe('token-bucket', () => {
  test('admits a burst, and then the rate', async () => {
    await open('token-bucket', { max: 10, burst: 3 });
    expect(admittedOf(await client.decideMany(5, { at: 10 * HOUR }))).toBe(3);
    expect(await client.decide({ at: 10.1 * HOUR - 1 })).toMatchObject({ admitted: false, retryAfterMs: 1 });
    expect(await client.decide({ at: 10.1 * HOUR })).toMatchObject({ admitted: true, remaining: 0 });
    expect(admittedOf(await client.decideMany(9, { at: 60 * HOUR }))).toBe(3); // never more than the capacity
  });

  test('a rate whose interval is no whole number of microseconds loses no token to rounding', async () => {
    await open('token-bucket', { max: 7, burst: 7 });
    // the clock of Redis has sixteen digits in microseconds
    const begin = 1_700_000_000_000;
    expect(admittedOf(await client.decideMany(8, { at: begin }))).toBe(7);
    for (let window = 1; window <= 20; window++)
      expect(admittedOf(await client.decideMany(8, { at: begin + window * HOUR }))).toBe(7);
  });

  test('a clock of Redis that goes back adds no tokens', async () => {
    await open('token-bucket', { max: 1, burst: 1 });
    await client.decide({ at: 10 * HOUR });
    expect((await client.decide({ at: 2 * HOUR })).admitted).toBe(false);
  });
});

describe('token-list', () => {
  test('the timers of two processes fill one list without a bound', async () => {
    await open('token-list', { max: 20, windowMs: 1000 });
    await client.decideMany(2);
    await eventually('more tokens than the limit', async () => (await client.redis.llen(client.key)) > 60);
    expect(admittedOf(await client.decideMany(60))).toBe(60);
  });
});

describe('leaky-bucket', () => {
  test('without a queue, refuses the second of two requests at one time', async () => {
    await open('leaky-bucket', { max: 10 });
    expect(admittedOf(await client.decideMany(2, { at: 10 * HOUR }))).toBe(1);
    expect(await client.decide({ at: 10.1 * HOUR - 1 })).toMatchObject({ admitted: false, retryAfterMs: 1 });
    expect((await client.decide({ at: 10.1 * HOUR })).admitted).toBe(true);
  });

  test('with a queue, delays requests so that they leave it at the rate', async () => {
    await open('leaky-bucket', { max: 1800, burst: 4 });
    const decisions = await client.decideMany(9, { at: 10_000 });
    const left = decisions.filter(({ admitted }) => admitted).map(({ at = NaN }) => Math.round(at));
    expect(left.sort((a, b) => a - b)).toEqual([10_000, 12_000, 14_000, 16_000, 18_000]);
  });

  test('a request waits for its turn', async () => {
    await open('leaky-bucket', { max: 10, windowMs: 100, burst: 1 });
    const { steps, listener } = recording();
    const decisions = await Promise.all([client.decide({ listener }), client.decide({ on: 1, listener })]);
    expect(decisions.every(({ admitted }) => admitted)).toBe(true);
    expect(steps.filter(({ verb }) => verb === 'WAIT').length).toBeLessThanOrEqual(1);
  });
});

describe('in-process', () => {
  test('two processes admit twice the limit', async () => {
    await open('in-process', { max: 5 });
    expect(admittedOf(await client.decideMany(30))).toBe(10);
  });

  test('begins again when its window has ended', async () => {
    await open('in-process', { max: 1, windowMs: 10 });
    expect((await client.decide()).admitted).toBe(true);
    await eventually('the next window', async () => (await client.decide()).admitted);
  });
});

/** The process dies when the reply of this command arrives. */
const diesAfter =
  (verb: string): Listener =>
  async (step, issue) => {
    const reply = await issue();
    if (step.verb === verb) throw new Error('the process died');
    return reply;
  };
