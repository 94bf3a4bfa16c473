import { VirtualClock } from '#lab/explore';
import { observe } from '#lab/step';
import {
  DEFAULT_OPTIONS,
  LocalProcess,
  LockNotObtained,
  withLock,
  type Lock,
  type LockTools,
} from '#lab/strategy';

/** The tools for `withLock`, and the warnings it issued. */
function tools(
  options: Partial<typeof DEFAULT_OPTIONS> = {},
): LockTools & { warnings: string[]; time: VirtualClock } {
  const time = new VirtualClock();
  const warnings: string[] = [];
  return {
    options: { ...DEFAULT_OPTIONS, ...options },
    clock: time.for('A'),
    process: new LocalProcess('p1'),
    warn: (warning) => void warnings.push(warning),
    warnings,
    time,
  };
}

const lock = (overrides: Partial<Lock> = {}): Lock => ({
  key: 'lock:{a}:s',
  tryAcquire: () => Promise.resolve(true),
  release: () => Promise.resolve(),
  ...overrides,
});

test('a failed release does not hide the result of the section, and is logged as a warning', async () => {
  const lockTools = tools();
  const failing = lock({ release: () => Promise.reject(new Error('Redis is away')) });
  await expect(withLock(failing, lockTools, () => Promise.resolve('sold'))).resolves.toBe('sold');
  expect(lockTools.warnings).toEqual(['lock:{a}:s could not be released']);
});

test('a failed release does not hide the error of the section', async () => {
  const failing = lock({ release: () => Promise.reject(new Error('Redis is away')) });
  await expect(withLock(failing, tools(), () => Promise.reject(new Error('sold out')))).rejects.toThrow(
    'sold out',
  );
});

test('the lock is released once, after the section, even if the section fails', async () => {
  const calls: string[] = [];
  const recording = lock({
    release: () => {
      calls.push('release');
      return Promise.resolve();
    },
  });
  await withLock(recording, tools(), () => {
    calls.push('section');
    return Promise.reject(new Error('no'));
  }).catch(() => undefined);
  expect(calls).toEqual(['section', 'release']);
});

test('with waitMs 0 the lock is tried once, and a lock that was not obtained is not released', async () => {
  let tries = 0;
  let releases = 0;
  const busy = lock({
    tryAcquire: () => Promise.resolve(++tries > 99),
    release: () => Promise.resolve(++releases),
  });
  const refused = withLock(busy, tools({ waitMs: 0 }), () => Promise.resolve());
  await expect(refused).rejects.toMatchObject({ key: 'lock:{a}:s', attempts: 1, waitedMs: 0 });
  await expect(refused).rejects.toBeInstanceOf(LockNotObtained);
  expect([tries, releases]).toEqual([1, 0]);
});

test('it retries until it obtains the lock, and gives up after waitMs', async () => {
  const lockTools = tools({ waitMs: 100, retryMs: 10 });
  let tries = 0;
  const busy = lock({ tryAcquire: () => Promise.resolve(++tries > 5_000) });
  const waiting = observe(
    {
      actor: 'A',
      listener: (_step, issue) => {
        lockTools.time.moveTo(lockTools.time.now + 10);
        return issue();
      },
    },
    () => withLock(busy, lockTools, () => Promise.resolve()),
  );
  await expect(waiting).rejects.toMatchObject({ attempts: 11, waitedMs: 100 });
});
