import { VirtualClock } from '#lab/explore';
import { systemClock } from '#lab/step';
import { Lease, LockLost } from '#lab/strategy';
import { setTimeout as delay } from 'node:timers/promises';

const LEASE_MS = 300;
let time: VirtualClock;
let lease: Lease;
beforeEach(() => {
  time = new VirtualClock();
  lease = new Lease('lock:{a}:s', LEASE_MS, time.for('A'));
});

/** Advances time by `ms`; timers that become due run one after another. */
async function pass(ms: number): Promise<void> {
  const until = time.now + ms;
  for (
    let timer = time.next(() => true);
    timer !== undefined && timer.due <= until;
    timer = time.next(() => true)
  ) {
    time.moveTo(timer.due);
    time.fired(timer);
    await Promise.resolve(timer.run()).then(undefined, () => undefined);
  }
  time.moveTo(until);
}

const yes = (): Promise<boolean> => Promise.resolve(true);
const no = (): Promise<boolean> => Promise.resolve(false);

test('a lease is lost when its time is over, with a LockLost error as the reason', async () => {
  await lease.grant(yes);
  await pass(LEASE_MS - 1);
  expect(lease.lost.aborted).toBe(false);
  await pass(1);
  expect(lease.lost.aborted).toBe(true);
  expect(lease.lost.reason).toBeInstanceOf(LockLost);
});

test('the lease counts from before the request, not from the reply', async () => {
  await lease.grant(async () => {
    await pass(100);
    return true;
  });
  await pass(LEASE_MS - 100);
  expect(lease.lost.aborted).toBe(true);
});

test('a refused acquisition grants nothing and loses nothing', async () => {
  expect(await lease.grant(no)).toBe(false);
  await pass(10 * LEASE_MS);
  expect(lease.lost.aborted).toBe(false);
});

test('the lease is renewed every third, so that work of any length below the limit keeps it', async () => {
  await lease.grant(yes);
  let renewals = 0;
  const stop = lease.keep(10 * LEASE_MS, () => {
    renewals++;
    return yes();
  });
  await pass(5 * LEASE_MS);
  expect(lease.lost.aborted).toBe(false);
  expect(renewals).toBe(15);
  stop();
});

test('the lease is not renewed beyond the limit', async () => {
  await lease.grant(yes);
  const stop = lease.keep(2 * LEASE_MS, yes);
  await pass(4 * LEASE_MS);
  expect(lease.lost.aborted).toBe(true);
  stop();
});

test('a refused renewal marks the lock as lost', async () => {
  await lease.grant(yes);
  lease.keep(10 * LEASE_MS, no);
  await pass(LEASE_MS / 3);
  expect(lease.lost.aborted).toBe(true);
});

test('failed renewals change nothing until the deadline', async () => {
  await lease.grant(yes);
  lease.keep(10 * LEASE_MS, () => Promise.reject(new Error('Redis is away')));
  await pass(LEASE_MS - 1);
  expect(lease.lost.aborted).toBe(false);
  await pass(1);
  expect(lease.lost.aborted).toBe(true);
});

test('stop clears all timers', async () => {
  await lease.grant(yes);
  lease.keep(10 * LEASE_MS, yes)();
  expect(time.hasTimers).toBe(false);
});

test('a renewal that is answered after stop leaves no timer either', async () => {
  await lease.grant(yes);
  let answer: (granted: boolean) => void = () => undefined;
  const stop = lease.keep(10 * LEASE_MS, () => new Promise((resolve) => (answer = resolve)));
  const renewing = time.next(() => true);
  const tick = Promise.resolve(renewing?.run());
  stop();
  answer(true);
  await tick;
  expect(time.hasTimers).toBe(false);
});

test('a lease that is already over when it is granted is lost before any work starts', async () => {
  const slow = new Lease('lock:{a}:s', 20, systemClock);
  await slow.grant(() => delay(40, true));
  expect(slow.lost.aborted).toBe(true);
  expect(slow.lost.reason).toBeInstanceOf(LockLost);
});

test('a process paused at work for longer than its lease detects the loss before it continues', async () => {
  const own = new Lease('lock:{a}:s', 200, systemClock);
  await own.grant(yes);
  const work = systemClock.sleep(100, 'WORK');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400); // blocks the whole process
  await work;
  expect(own.lost.aborted).toBe(true);
});
