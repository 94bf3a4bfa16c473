import { ConsoleProcess } from './support';

interface Goal {
  readonly id: string;
  readonly task: 'run' | 'show' | 'prove';
  readonly strategy: string;
  readonly actors: string;
  readonly faults?: string;
}

/** A schedule of each goal that asks for one. */
const SOLUTIONS: Readonly<Record<string, string>> = {
  oversell: 'a2b5a3',
  'oversell-mutex': 'a3b6a3',
  stuck: 'aK1b3',
  'wrong-release': 'aLba6',
  'expired-holder': 'b3La7b4',
  'paused-watchdog': 'b3Oaa7b4',
  'late-fence': 'b5La4b2a3',
};

let app: ConsoleProcess;
beforeAll(async () => {
  app = await ConsoleProcess.start();
});
afterAll(() => app.stop());

test('every goal of Step and Explore can be reached', async () => {
  const { json } = await app.get<Goal[]>('/api/goals');
  // test/console/class-runs.long.spec.ts reaches those of load runs
  const goals = json.filter(({ task }) => task !== 'run');
  const results: Record<string, unknown> = {};
  for (const { id, task, strategy, actors, faults } of goals) {
    let proof: object = { token: `v1.${strategy}..1.${actors}.${SOLUTIONS[id] ?? ''}...` };
    if (task === 'prove') {
      const { json } = await app.post<{ job: { id: string } }>('/api/explorations', {
        strategy,
        actors,
        faults,
      });
      await app.events(`/api/explorations/${json.job.id}/events`);
      proof = { exploration: json.job.id };
    }
    results[id] = (await app.post(`/api/goals/${id}/proofs`, proof)).json;
  }
  expect(results).toEqual(Object.fromEntries(goals.map(({ id }) => [id, { reached: true }])));
});

test('an exploration of another strategy, or one that was cut short, proves nothing', async () => {
  const explored = async (body: object): Promise<string> => {
    const { json } = await app.post<{ job: { id: string } }>('/api/explorations', body);
    await app.events(`/api/explorations/${json.job.id}/events`);
    return json.job.id;
  };
  const proofOf = async (exploration: string): Promise<unknown> =>
    (await app.post('/api/goals/fenced-holds/proofs', { exploration })).json;
  expect(await proofOf(await explored({ strategy: 'conditional-update', faults: 'lapse:1' }))).toEqual({
    reached: false,
    because: 'other-setup',
  });
  expect((await app.post('/api/goals/fenced-holds/proofs', {})).json).toEqual({
    reached: false,
    because: 'no-proof',
  });
});

test('after a restart, the console accepts the exploration that proved a goal, and shows it under its link', async () => {
  const proof = async (console: ConsoleProcess, exploration: string): Promise<unknown> =>
    (await console.post('/api/goals/row-lock-holds/proofs', { exploration })).json;
  const explored = async (faults: string): Promise<string> => {
    const { json } = await app.post<{ job: { id: string } }>('/api/explorations', {
      strategy: 'for-update',
      faults,
    });
    await app.events(`/api/explorations/${json.job.id}/events`);
    return json.job.id;
  };
  const [proved, other] = [await explored(''), await explored('kill:1')];
  expect(await proof(app, proved)).toEqual({ reached: true });
  expect(await proof(app, other)).toEqual({ reached: false, because: 'other-setup' });
  const link = `/api/explorations/${proved}`;
  const { json: before } = await app.get(link);
  const restarted = await ConsoleProcess.start();
  try {
    expect((await restarted.get(link)).json).toEqual(before);
    expect(await proof(restarted, proved)).toEqual({ reached: true });
    for (const id of [other, '../../docs/matrix', '000000000000'])
      expect(await proof(restarted, id)).toMatchObject({ status: 404, code: 'JOB.UNKNOWN' });
  } finally {
    await restarted.stop();
  }
});
