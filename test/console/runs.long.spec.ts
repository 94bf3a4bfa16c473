import { startProcesses, type Stack } from '#lab/stack';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { request } from 'undici';
import { eventually } from '../harness/eventually';
import { ConsoleProcess, type Answer } from './support';

interface Sample {
  readonly atMs: number;
  readonly stock: number;
  readonly sold: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly inFlight: number;
}

interface Verdict {
  readonly verdict: string;
  readonly headline: string;
  readonly initial: number;
  readonly final: number;
  readonly sold: number;
  readonly oversold: number;
  readonly lostUpdates: number;
  readonly requests: readonly string[];
}

interface RunJson {
  readonly job: {
    readonly id: string;
    readonly state: string;
    readonly ahead: number;
    readonly error?: string;
  };
  readonly samples: readonly Sample[];
  readonly verdict?: Verdict;
  readonly folder?: string;
}

interface RunList {
  readonly current: readonly RunJson[];
  readonly past: readonly { readonly folder: string; readonly name: string; readonly verdict?: Verdict }[];
}

const dir = resolve('.lab', `test-console-runs-${process.pid}`);
const startLab = (): Promise<Stack> =>
  startProcesses({
    dir,
    replicas: { order: 2, inventory: 2 },
    components: ['redlock'],
    lab: true,
    durability: 'relaxed',
  });

let lab: Stack;
let app: ConsoleProcess;
beforeAll(async () => {
  lab = await startLab();
  app = await ConsoleProcess.start({ lab: dir });
});
afterAll(async () => {
  const { past } = await list();
  await app.stop();
  await lab.stop();
  rmSync(dir, { recursive: true, force: true });
  for (const folder of written)
    if (past.some((run) => run.folder === folder)) rmSync(resolve('runs', folder), { recursive: true });
});

/** The run folders of this spec. */
const written = new Set<string>();

const list = async (): Promise<RunList> => (await app.get<RunList>('/api/runs')).json;
const pathOf = ({ job }: RunJson): string => `/api/runs/${job.id}`;

async function start(path: string, body: object): Promise<RunJson> {
  const { status, json } = await app.post<RunJson>(path, body);
  expect({ status, json }).toMatchObject({ status: 201 });
  return json;
}

/** The run when it has ended, and its events. */
async function end(run: RunJson): Promise<RunJson & { events: Awaited<ReturnType<typeof app.events>> }> {
  const events = await app.events(`${pathOf(run)}/events`);
  const { json } = await app.get<RunJson>(pathOf(run));
  if (json.folder !== undefined) written.add(json.folder);
  return { ...json, events };
}

const unprotected = { strategy: 'none', stock: 50, requests: 300, connections: 30, options: { workMs: 20 } };

test('a run without a lock shows live how the stock and the sales differ, and its verdict is that of the rows', async () => {
  const run = await end(await start('/api/runs', unprotected));
  const { samples, verdict, folder = '' } = run;
  expect(run.job).toMatchObject({ state: 'done' });
  expect(samples.length).toBeGreaterThan(3);
  expect(samples.map(({ atMs }) => atMs)).toEqual(samples.map(({ atMs }) => atMs).sort((a, b) => a - b));
  expect(samples.some(({ stock, sold, inFlight }) => stock > 50 - sold && inFlight > 0)).toBe(true);
  const last = samples.at(-1);
  expect(last).toMatchObject({ answers: { APPLIED: last?.sold }, inFlight: 0 });
  expect(verdict).toMatchObject({ verdict: 'violated', initial: 50, final: last?.stock, sold: last?.sold });
  expect(verdict?.oversold).toBe((last?.sold ?? 0) - 50);
  expect(verdict?.lostUpdates).toBe((last?.sold ?? 0) - (50 - (last?.stock ?? 0)));
  expect(verdict?.requests.length).toBeGreaterThanOrEqual(2);

  const { past } = await list();
  expect(past.find((one) => one.folder === folder)).toMatchObject({ name: 'none', verdict });
  for (const path of [`${pathOf(run)}/report`, `/api/runs/past/${folder}/report`]) {
    const { headers, body } = await request(`${app.url}${path}`);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(await body.text()).toContain('DATA WRONG');
  }
});

test('a run has a report in each language, which links to the other one; an unknown language is refused', async () => {
  const { folder = '' } = await end(await start('/api/runs?lang=zh', unprotected));
  const reportIn = async (lang: string): Promise<string> => {
    const { body } = await request(`${app.url}/api/runs/past/${folder}/report?lang=${lang}`);
    return body.text();
  };
  const [report, english] = [await reportIn('zh'), await reportIn('en')];
  expect(report).toContain('<a href="?lang=en"');
  expect(english).toContain('<a href="?lang=zh"');
  expect(english).toMatch(/<html lang="en">.*DATA WRONG/s);
  expect(report).toContain('<html lang="zh-CN">');
  expect(report).toContain('数据错误');
  expect(report).not.toMatch(/DATA WRONG|Stock over time/);
  for (const path of ['/api/runs?lang=xx', '/api/runs/presets/none?lang=xx'])
    expect((await app.post(path, unprotected)).status).toBe(400);
});

test('the samples of an exact strategy agree at every moment, also while the stock is split', async () => {
  const run = await end(
    await start('/api/runs', { strategy: 'segmented', stock: 80, requests: 120, options: { workMs: 10 } }),
  );
  expect(run).toMatchObject({ job: { state: 'done' }, verdict: { verdict: 'safe' } });
  const total = run.verdict?.sold ?? 0; // an order that waited too long for the locks is refused, so maybe not all 80
  expect(run.samples.some(({ sold }) => sold > 0 && sold < total)).toBe(true);
  expect(run.samples.filter(({ stock, sold }) => stock !== 80 - sold)).toEqual([]);
});

test('a reader that reconnects receives exactly the events that it has missed', async () => {
  const { events, ...run } = await end(await start('/api/runs/presets/conditional-update', {}));
  expect(run).toMatchObject({ job: { state: 'done' }, verdict: { verdict: 'safe', sold: 100 } });
  expect(events.map(({ id }) => id)).toEqual(events.map((_, i) => i + 1));
  const half = Math.floor(events.length / 2);
  expect(await app.events(`${pathOf(run)}/events`, half)).toEqual(events.slice(half));
  expect(await app.events(`${pathOf(run)}/events`, events.length)).toEqual([]);
});

test('a cancelled run leaves the lab ready, with its killed server restarted, and the next one begins', async () => {
  const slow = await start('/api/runs/presets/redlock-voter-down', {});
  const next = await start('/api/runs', { strategy: 'redlock', stock: 5, requests: 10, connections: 5 });
  expect((await app.get<RunJson>(pathOf(next))).json.job).toMatchObject({ state: 'queued', ahead: 1 });
  await eventually(
    'the load has begun, with a server killed',
    async () => (await app.get<RunJson>(pathOf(slow))).json.samples.length > 0,
  );
  expect((await app.send('DELETE', pathOf(slow))).status).toBe(200);
  const cancelled = await end(slow);
  expect(cancelled).toMatchObject({ job: { state: 'cancelled' } });
  expect(cancelled.verdict).toBeUndefined();
  await lab.ready(); // every server is up
  const { job, verdict } = await end(next);
  expect([job.state, job.error, verdict?.verdict]).toEqual(['done', undefined, 'safe']);
});

test('a queued run that is cancelled never runs', async () => {
  const first = await start('/api/runs', unprotected);
  const second = await start('/api/runs', unprotected);
  await app.send('DELETE', pathOf(second));
  expect(await end(second)).toMatchObject({ job: { state: 'cancelled' }, samples: [] });
  expect(await end(first)).toMatchObject({ job: { state: 'done' } });
});

test('bad input is refused with the code of the command line, and queues nothing', async () => {
  const before = (await list()).current.length;
  const post = (body: object): Promise<Answer> => app.post('/api/runs', body);
  const refused = await Promise.all([
    post({ strategy: 'no-such' }),
    post({ strategy: 'setnx', fault: 'boom' }),
    post({ strategy: 'setnx', fault: 'account:before(UPDATE)=error' }),
    post({ strategy: 'setnx', requests: 10, fault: 'before(UPDATE)=error', faultOn: 'nth=40' }),
    post({ strategy: 'setnx', faultOn: 'nth=4' }),
    post({ strategy: 'setnx', fault: 'before(UPDATE)=error', faultOn: 'nth=0' }),
    post({ strategy: 'setnx', connections: 100_000 }),
    post({ strategy: 'setnx', sku: 'phone' }),
    post({ strategy: 'etcd' }),
    app.post('/api/runs/presets/no-such', {}),
    app.post('/api/runs/presets/No%20such!', {}),
    post({ strategy: 'No such!' }),
    app.get('/api/runs/000000000000'),
  ]);
  expect(refused.map(({ status, json }) => [status, json['code']])).toEqual([
    [400, 'STRATEGY.UNKNOWN'],
    [400, 'FAULT.SYNTAX'],
    [400, 'FAULT.UNSUPPORTED'],
    [400, 'FAULT.UNSUPPORTED'],
    [400, 'REQUEST.INVALID'],
    [400, 'REQUEST.INVALID'],
    [400, 'REQUEST.INVALID'],
    [400, 'REQUEST.INVALID'],
    [501, 'COMPONENT.MISSING'],
    [404, 'SCENARIO.UNKNOWN'],
    [404, 'SCENARIO.UNKNOWN'],
    [400, 'STRATEGY.UNKNOWN'],
    [404, 'JOB.UNKNOWN'],
  ]);
  expect((await list()).current.length).toBe(before);
});

test('presets name the servers that the lab lacks', async () => {
  const { json } = await app.get<{ name: string; group: string; needs: string[] }[]>('/api/presets');
  const needs = (name: string): unknown => json.find((preset) => preset.name === name)?.needs;
  expect(json[0]).toMatchObject({ name: 'none', group: 'demo' });
  expect([needs('redlock'), needs('etcd')]).toEqual([[], ['etcd']]);
});

test.each([
  ['..%2F..%2Fpackage.json', 400],
  ['%2e%2e', 400],
  ['2026-01-01T00-00-00-000Z-..%2F..%2Fdocs', 400],
  ['2026-01-01T00-00-00-000Z-none', 404],
])('the report of the folder %s is refused', async (folder, expected) => {
  const { status, headers } = await app.get(`/api/runs/past/${folder}/report`);
  expect([status, headers['content-type']]).toEqual([
    expected,
    expect.stringMatching(/^application\/problem\+json/),
  ]);
});

test('when the lab stops, its run fails with what to do, others are refused, and the console uses the lab when it is back', async () => {
  const running = await start('/api/runs', {
    ...unprotected,
    strategy: 'setnx',
    options: { workMs: 200, waitMs: 20_000 },
  });
  await eventually(
    'an order is answered',
    async () =>
      Object.keys((await app.get<RunJson>(pathOf(running))).json.samples.at(-1)?.answers ?? {}).length > 0,
  );
  expect((await app.get('/api/lab')).json).toMatchObject({ isRunning: true, components: ['redlock'] });
  await lab.stop();
  const { job } = await end(running);
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('npm start') as string });
  expect((await app.get('/api/lab')).json).toMatchObject({ isRunning: false, replicas: [] });
  const refused = await app.post('/api/runs', unprotected);
  expect([refused.status, refused.json['code']]).toEqual([503, 'LAB.STOPPED']);
  expect((await app.get('/api/presets')).status).toBe(200);
  lab = await startLab();
  const again = await end(
    await start('/api/runs', { strategy: 'conditional-update', stock: 5, requests: 20 }),
  );
  expect([again.job.state, again.verdict?.sold]).toEqual(['done', 5]);
});
