import {
  ACQUIRES,
  InjectedFault,
  failpoint,
  observe,
  parseFaults,
  step,
  type Effects,
  type StepKind,
} from '#lab/step';

interface Fired {
  readonly announced: string[];
  readonly done: string[];
  /** The number of faults announced before each pause was prepared. */
  readonly prepared: number[];
}

/** Runs `body` under the faults of `header`; records their effects on the process instead of executing them. */
async function under(header: string, body: () => Promise<unknown>): Promise<Fired> {
  const fired: Fired = { announced: [], done: [], prepared: [] };
  const effects: Effects = {
    kill: () => {
      fired.done.push('kill');
      return Promise.reject(new Error('killed'));
    },
    pause: (until, lock) => {
      fired.prepared.push(fired.announced.length);
      return Promise.resolve(() => {
        fired.done.push(`pause ${JSON.stringify(until)} ${lock?.key ?? ''}`);
        return Promise.resolve();
      });
    },
    block: (ms) => void fired.done.push(`block ${ms}`),
    delay: (ms) => {
      fired.done.push(`delay ${ms}`);
      return Promise.resolve();
    },
  };
  const listener = failpoint(parseFaults(header), effects, ({ source }) => {
    expect(fired.done).toHaveLength(fired.announced.length); // announced before it is done
    fired.announced.push(source);
  });
  await observe({ actor: 'A', listener }, body);
  return fired;
}

const call = (verb: string, reply: unknown, kind: StepKind = 'redis', key = 'lock:{x}:s'): Promise<unknown> =>
  step(
    () => ({ kind, verb, text: verb, key, ...(kind === 'redis' && { lock: ACQUIRES }) }),
    () => Promise.resolve(reply),
  );

test('a fault fires once, however often its step occurs', async () => {
  const { done } = await under('after(SET)=delay(5)', async () => {
    await call('SET', 'OK');
    await call('SET', 'OK');
  });
  expect(done).toEqual(['delay 5']);
});

test('#n means the nth such step', async () => {
  const seen: number[] = [];
  await expect(
    under('before(GET#3)=error', async () => {
      for (let n = 1; n <= 3; n++) {
        await call('GET', null);
        seen.push(n);
      }
    }),
  ).rejects.toThrow(InjectedFault);
  expect(seen).toEqual([1, 2]);
});

test.each([null, 0])(
  'a lock that was not obtained (%p) does not match after(), which waits for a success',
  async (failure) => {
    const { done } = await under('after(SETNX)=delay(5)', async () => {
      await call('SETNX', failure);
      await call('SETNX', 1);
    });
    expect(done).toEqual(['delay 5']);
  },
);

test('a given reply is the one that matches, even a falsy one', async () => {
  const { done } = await under('after(SETNX=0)=delay(5)', async () => {
    await call('SETNX', 1);
    await call('SETNX', 0);
  });
  expect(done).toEqual(['delay 5']);
});

test('an SQL statement that changed no row still has a reply', async () => {
  const { done } = await under('after(UPDATE)=block(7)', () => call('UPDATE', null, 'sql'));
  expect(done).toEqual(['block 7']);
});

test('lose-reply: the server executes the command, the caller receives an error', async () => {
  let executed = false;
  const lost = under('after(SET)=lose-reply', () =>
    step(
      () => ({ kind: 'redis', verb: 'SET', text: 'SET' }),
      () => {
        executed = true;
        return Promise.resolve('OK');
      },
    ),
  );
  await expect(lost).rejects.toMatchObject({ code: 'DEPENDENCY.DOWN', dependency: 'redis' });
  expect(executed).toBe(true);
});

test('a pause knows the lock that its request used last', async () => {
  const { done } = await under('before(UPDATE)=pause(lock-taken)', async () => {
    await call('SET', 'OK', 'redis', 'lock:{a}:s');
    await call('UPDATE', null, 'sql', 'item');
  });
  expect(done).toEqual(['pause {"event":"lock-taken"} lock:{a}:s']);
});

test('a pause is announced after its preparation, so that the history dates it to the stop', async () => {
  const { prepared, announced, done } = await under('before(UPDATE)=pause(5)', () =>
    call('UPDATE', null, 'sql'),
  );
  expect({ prepared, announced: announced.length, done: done.length }).toEqual({
    prepared: [0],
    announced: 1,
    done: 1,
  });
});
