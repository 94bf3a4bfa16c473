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

/** What `withLock` needs, and the warnings that it gave. */
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

test('a failed release does not hide what the section came to, and is told', async () => {
  const given = tools();
  const failing = lock({ release: () => Promise.reject(new Error('Redis is away')) });
  await expect(withLock(failing, given, () => Promise.resolve('sold'))).resolves.toBe('sold');
  expect(given.warnings).toEqual(['lock:{a}:s could not be released']);
});

test('a failed release does not hide the error of the section', async () => {
  const failing = lock({ release: () => Promise.reject(new Error('Redis is away')) });
  await expect(withLock(failing, tools(), () => Promise.reject(new Error('sold out')))).rejects.toThrow(
    'sold out',
  );
});

test('the lock is released once, after the section, also when the section fails', async () => {
  const requests: string[] = [];
  const told = lock({
    release: () => {
      requests.push('release');
      return Promise.resolve();
    },
  });
  await withLock(told, tools(), () => {
    requests.push('section');
    return Promise.reject(new Error('no'));
  }).catch(() => undefined);
  expect(requests).toEqual(['section', 'release']);
});

test('with no time to wait the lock is tried once, and what was not obtained is not released', async () => {
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

test('it tries again until it is obtained, and gives up when the time to wait is over', async () => {
  const given = tools({ waitMs: 100, retryMs: 10 });
  let tries = 0;
  const busy = lock({ tryAcquire: () => Promise.resolve(++tries > 5_000) });
  const waiting = observe(
    {
      actor: 'A',
      listener: (_step, issue) => {
        given.time.moveTo(given.time.now + 10);
        return issue();
      },
    },
    () => withLock(busy, given, () => Promise.resolve()),
  );
  await expect(waiting).rejects.toMatchObject({ attempts: 11, waitedMs: 100 });
});
