import { InjectedFault, failpoint, observe, parseFaults, step, type Effects, type StepKind } from '#lab/step';

interface Fired {
  readonly announced: string[];
  readonly done: string[];
  /** How many faults had been announced when a pause was prepared. */
  readonly prepared: number[];
}

/** Runs `body` under the faults of `header`; what they would do to the process is written down instead. */
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
    () => ({ kind, verb, text: verb, key }),
    () => Promise.resolve(reply),
  );

test('a fault fires once, however often its step comes', async () => {
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
  'a lock that was not obtained (%p) is not the winner: after() waits for success',
  async (no) => {
    const { done } = await under('after(SETNX)=delay(5)', async () => {
      await call('SETNX', no);
      await call('SETNX', 1);
    });
    expect(done).toEqual(['delay 5']);
  },
);

test('a reply that is named is the one that counts, also nil-like ones', async () => {
  const { done } = await under('after(SETNX=0)=delay(5)', async () => {
    await call('SETNX', 1);
    await call('SETNX', 0);
  });
  expect(done).toEqual(['delay 5']);
});

test('an SQL statement that changed nothing was still answered', async () => {
  const { done } = await under('after(UPDATE)=block(7)', () => call('UPDATE', null, 'sql'));
  expect(done).toEqual(['block 7']);
});

test('a lost reply: the server has executed, the caller gets an error', async () => {
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

test('a pause knows the lock that the request touched last', async () => {
  const { done } = await under('before(UPDATE)=pause(lock-taken)', async () => {
    await call('SET', 'OK', 'redis', 'lock:{a}:s');
    await call('UPDATE', null, 'sql', 'item');
  });
  expect(done).toEqual(['pause {"event":"lock-taken"} lock:{a}:s']);
});

test('a pause is announced when it has been prepared: the history dates it to the stop, not to the preparation', async () => {
  const { prepared, announced, done } = await under('before(UPDATE)=pause(5)', () =>
    call('UPDATE', null, 'sql'),
  );
  expect({ prepared, announced: announced.length, done: done.length }).toEqual({
    prepared: [0],
    announced: 1,
    done: 1,
  });
});
