import { openShop } from '../e2e/support';
import { ConsoleProcess, type Answer } from './support';

const shop = openShop('class-runs');
let app: ConsoleProcess;
beforeAll(async () => {
  app = await ConsoleProcess.start({ lab: shop().dir, isClass: true });
});
afterAll(() => app.stop());

type Cookie = Readonly<Record<string, string>>;

async function join(name: string, code = app.started.code ?? ''): Promise<Cookie> {
  const { status, headers } = await app.post('/api/classroom/join', { code, name });
  expect(status).toBe(200);
  return { cookie: String(headers['set-cookie']).split(';')[0] ?? '' };
}

interface Run {
  readonly job: { readonly id: string; readonly state: string };
  readonly verdict?: { readonly verdict: string };
  readonly folder?: string;
}

const run = (who: Cookie, body: object): Promise<Answer<Run & { readonly code?: string }>> =>
  app.post('/api/runs', { strategy: 'none', requests: 60, stock: 20, ...body }, who);

test('students run loads on products of their own; faults, and the runs of others, are for the teacher', async () => {
  const [ann, bob, teacher] = [
    await join('ann'),
    await join('bob'),
    await join('tea', app.started.teacherCode),
  ];
  const fault = { strategy: 'setnx', fault: 'after(SETNX)=kill' };
  expect((await run(ann, fault)).json).toMatchObject({ status: 403, code: 'ACCESS.TEACHER_ONLY' });
  const long = await run(teacher, { requests: 2000, options: { workMs: 20 } });
  expect(long.status).toBe(201);
  const first = await run(ann, {});
  const cancel = (who: Cookie, { json }: Answer<Run>): Promise<Answer> =>
    app.send('DELETE', `/api/runs/${json.job.id}`, undefined, who);
  expect(await cancel(bob, first)).toMatchObject({ status: 403, json: { code: 'ACCESS.TEACHER_ONLY' } });
  expect((await cancel(teacher, long)).status).toBe(200);
  await app.events(`/api/runs/${first.json.job.id}/events`, 0, ann);
  const { json } = await app.get<Run>(`/api/runs/${first.json.job.id}`, ann);
  expect([json.job.state, json.verdict?.verdict]).toEqual(['done', 'violated']);
  const products = (await shop().list('/products')).map(({ sku }) => String(sku));
  expect(products.filter((sku) => /^load-[0-9a-f]{12}$/.test(sku))).toHaveLength(1);
});

interface Goal {
  readonly id: string;
  readonly task: string;
  readonly strategy: string;
}

test('the board shows the goals that a student has reached by load runs, also after a restart', async () => {
  const eve = await join('eve');
  const folderOf = async (strategy: string): Promise<string> => {
    const { json } = await run(eve, { strategy, options: { workMs: 5 } });
    await app.events(`/api/runs/${json.job.id}/events`, 0, eve);
    return (await app.get<Run>(`/api/runs/${json.job.id}`, eve)).json.folder ?? '';
  };
  const { json: all } = await app.get<Goal[]>('/api/goals', eve);
  const goals = all.filter(({ task }) => task === 'run');
  const ids = goals.map(({ id }) => id);
  expect(ids).toEqual(['run-none', 'run-conditional-update']);
  const folders = new Map<string, string>();
  for (const { id, strategy } of goals) folders.set(id, await folderOf(strategy));
  const prove = async (on: ConsoleProcess, id: string, folder: string, who: Cookie): Promise<unknown> =>
    (await on.post(`/api/goals/${id}/proofs`, { run: folder }, who)).json;
  const otherFolder = folders.get('run-none') ?? '';
  expect(await prove(app, 'run-conditional-update', otherFolder, eve)).toMatchObject({
    because: 'other-setup',
  });
  const gone = '2001-01-01T00-00-00-000Z-none';
  expect(await prove(app, 'run-none', gone, eve)).toEqual({ reached: false, because: 'no-proof' });
  expect(await prove(app, 'run-none', '../docs', eve)).toMatchObject({ status: 400 });
  const restarted = await ConsoleProcess.start({ lab: shop().dir, isClass: true });
  try {
    const { json, headers } = await restarted.post('/api/classroom/join', {
      code: restarted.started.code,
      name: 'eve',
    });
    expect(json).toMatchObject({ member: { name: 'eve' } });
    const again = { cookie: String(headers['set-cookie']).split(';')[0] ?? '' };
    for (const [console, who] of [
      [app, eve],
      [restarted, again],
    ] as const) {
      for (const [id, folder] of folders)
        expect([id, await prove(console, id, folder, who)]).toEqual([id, { reached: true }]);
      const board = await console.get<{ rows: { name: string; goals: string[] }[] }>(
        '/api/classroom/board',
        who,
      );
      expect(board.json.rows.find(({ name }) => name === 'eve')?.goals).toEqual(ids);
    }
  } finally {
    await restarted.stop();
  }
});
