import { ConsoleProcess } from './support';

interface Exploration {
  readonly job: {
    readonly id: string;
    readonly state: string;
    readonly ahead: number;
    readonly error?: string;
  };
  readonly counts?: {
    readonly mark: string;
    readonly schedules: number;
    readonly isPartial: boolean;
    readonly because?: { readonly text: string; readonly inChinese: string };
  };
  readonly witness?: { readonly token: string; readonly kind: string; readonly mermaid: string };
}

let app: ConsoleProcess;
beforeAll(async () => {
  app = await ConsoleProcess.start();
});
afterAll(() => app.stop());

const explore = async (body: object): Promise<Exploration> => {
  const { status, json } = await app.post<Exploration>('/api/explorations', body);
  expect(status).toBe(201);
  return json;
};
const pathOf = ({ job }: Exploration): string => `/api/explorations/${job.id}`;

test('an exploration shows its counts while it runs, and ends with the shortest schedule, which the step page plays', async () => {
  const started = await explore({ strategy: 'token-lua', faults: 'lapse:1', seconds: 600 });
  const events = await app.events(`${pathOf(started)}/events`);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, i) => i + 1));
  const { json } = await app.get<Exploration>(pathOf(started));
  expect(json).toMatchObject({
    job: { state: 'done' },
    counts: {
      mark: 'data-wrong',
      isPartial: false,
      inChinese: { 'waited for the lock': '等过锁' },
      interleavings: { all: 10_988, 'data-wrong': 9_886, unavailable: 0 },
    },
    witness: { kind: 'oversold', mechanism: { inChinese: expect.stringContaining('的租期在第') as string } },
  });
  expect(json.witness?.mermaid).toContain('sequenceDiagram');
  const played = await app.post<{ violations: { kind: string }[] }>('/api/steps', {
    token: json.witness?.token,
  });
  expect(played.json.violations.map(({ kind }) => kind)).toContain('oversold');
});

test('an exploration whose fault cannot occur says why in English and in Chinese', async () => {
  const started = await explore({ strategy: 'for-update', faults: 'lapse:1' });
  await app.events(`${pathOf(started)}/events`);
  const { counts } = (await app.get<Exploration>(pathOf(started))).json;
  expect(counts?.because).toEqual({
    text: 'lapse never happened: there is nothing here that it could hit',
    inChinese: '故障“锁过期”（lapse）从未发生：这里没有它能作用的对象',
  });
});

test('a reader that reconnects receives exactly the events that it has missed', async () => {
  const started = await explore({ strategy: 'none' });
  const all = await app.events(`${pathOf(started)}/events`);
  const half = Math.floor(all.length / 2);
  expect(await app.events(`${pathOf(started)}/events`, half)).toEqual(all.slice(half));
});

test('jobs run one after the other, and the later one shows how many are before it', async () => {
  const first = await explore({ strategy: 'redlock', faults: 'pause:1', seconds: 60 });
  const second = await explore({ strategy: 'none' });
  expect((await app.get<Exploration>(pathOf(second))).json.job).toMatchObject({ state: 'queued', ahead: 1 });
  const cancelled = await app.send<Exploration>('DELETE', pathOf(first));
  expect(cancelled.status).toBe(200);
  await app.events(`${pathOf(second)}/events`);
  expect((await app.get<Exploration>(pathOf(first))).json.job).toMatchObject({
    state: 'cancelled',
    cancelledBecause: 'request',
  });
  const { job, counts } = (await app.get<Exploration>(pathOf(second))).json;
  expect([job.state, job.error, counts?.mark]).toEqual(['done', undefined, 'data-wrong']);
});

test('an unknown job, fault and strategy are refused', async () => {
  const codes = await Promise.all([
    app.get('/api/explorations/000000000000'),
    app.post('/api/explorations', { strategy: 'none', faults: 'rain:1' }),
    app.post('/api/explorations', { strategy: 'no-such' }),
    app.post('/api/explorations', { strategy: 'No such!' }),
  ]);
  expect(codes.map(({ status, json }) => [status, json['code']])).toEqual([
    [404, 'JOB.UNKNOWN'],
    [400, 'EXPLORE.FAULTS'],
    [400, 'STRATEGY.UNKNOWN'],
    [400, 'STRATEGY.UNKNOWN'],
  ]);
});
