import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { eventually } from '../harness/eventually';
import { ConsoleProcess, type Answer } from './support';

let app: ConsoleProcess;
beforeAll(async () => {
  app = await ConsoleProcess.start({ isClass: true });
});
afterAll(() => app.stop());

const join = (code: string, name: string): Promise<Answer> => app.post('/api/classroom/join', { code, name });

/** Joins, and returns the header that identifies the member. */
async function cookieOf(code: string, name: string): Promise<Record<string, string>> {
  const { status, headers } = await join(code, name);
  expect(status).toBe(200);
  return { cookie: String(headers['set-cookie']).split(';')[0] ?? '' };
}

/** The id by which the teacher removes this student. */
async function idOf(name: string, teacher: Record<string, string>): Promise<string> {
  const { json } = await app.get<{ rows: { id: string; name: string }[] }>('/api/classroom/board', teacher);
  return json.rows.find((row) => row.name === name)?.id ?? '';
}

const SOLUTION = 'v1.none..1.12.a2b5a3...bb2f4f';

test('the console of a class opens worlds for schedules before a student begins one', async () => {
  const folder = resolve('.lab', `console-${app.pid ?? 0}`);
  const worlds = (): string[] =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
          /lab_step_\d+_\d+$/.test(name),
        )
      : [];
  await eventually('the database has the schema of a world', () => worlds().length > 0);
  expect(worlds().length).toBeGreaterThan(0);
});

test('without the code every request but joining is refused', async () => {
  const refused = [await app.get('/api/goals'), await app.post('/api/steps/begin', { strategy: 'none' })];
  expect(refused.map(({ status, json }) => [status, json['code']])).toEqual([
    [401, 'ACCESS.JOIN'],
    [401, 'ACCESS.JOIN'],
  ]);
  expect(await join('WRONG1', 'mallory')).toMatchObject({ status: 403, json: { code: 'ACCESS.REFUSED' } });
  const forged = await app.get('/api/goals', { cookie: 'console-member=000000000000.forged' });
  expect(forged.status).toBe(401);
  expect((await app.get('/api/classroom')).json).toEqual({ isOpen: true });
});

test('a goal counts when its schedule shows the violation, and the board lists who has reached it', async () => {
  const { code = '', teacherCode = '' } = app.started;
  const [ann, bob, teacher] = [
    await cookieOf(code.toLowerCase(), 'ann'),
    await cookieOf(code, 'bob'),
    await cookieOf(teacherCode, 'teacher'),
  ];
  const proof = (goal: string, token: string, who: Record<string, string>): Promise<Answer> =>
    app.post(`/api/goals/${goal}/proofs`, { token }, who);
  expect((await proof('oversell', SOLUTION, ann)).json).toEqual({ reached: true });
  // the same steps one buyer after the other sell nothing twice
  expect((await proof('oversell', 'v1.none..1.12.a5b...bb2f4f', bob)).json).toMatchObject({
    reached: false,
  });
  expect((await proof('stuck', SOLUTION, bob)).json).toEqual({ reached: false, because: 'other-setup' });
  expect((await app.get('/api/classroom/board', teacher)).json).toMatchObject({
    rows: [
      { name: 'ann', goals: ['oversell'] },
      { name: 'bob', goals: [] },
    ],
  });
  expect((await app.get('/api/classroom', teacher)).json).toMatchObject({
    code,
    urls: app.started.joinUrls,
    member: { isTeacher: true },
  });
  expect((await app.get('/api/classroom', ann)).json).toEqual({
    isOpen: true,
    member: { name: 'ann', isTeacher: false },
  });
  expect(await join(code, 'ann')).toMatchObject({ status: 403 }); // the name is taken
});

test('a refusal to join names its cause: that a name is taken, only with the right code', async () => {
  const { code = '' } = app.started;
  expect((await join(code, 'zoe')).status).toBe(200);
  const causes = [
    await join('WRONG1', 'zoe'),
    await join('', 'zoe'),
    await join(code, 'zoe'),
    await join(code, '<>'),
    await join(code, ''),
  ].map(({ status, json }) => [status, json['code'], json['errors']]);
  expect(causes).toEqual(
    ['wrong-code', 'wrong-code', 'name-taken', 'no-name', 'no-name'].map((reason) => [
      403,
      'ACCESS.REFUSED',
      { reason },
    ]),
  );
});

test('a name of more than 30 characters is refused, not shortened', async () => {
  const { code = '' } = app.started;
  const { status, json } = await join(code, 'x'.repeat(31));
  expect([status, json['code']]).toEqual([400, 'REQUEST.INVALID']);
  expect(json['detail']).toContain('a name has at most 30 characters');
  expect((await join(code, ` ${'x'.repeat(30)} `)).json['member']).toMatchObject({ name: 'x'.repeat(30) });
});

test('the teacher removes a student, who then joins again; a student cannot remove another one', async () => {
  const { code = '', teacherCode = '' } = app.started;
  const [ivy, jon] = [await cookieOf(code, 'ivy'), await cookieOf(code, 'jon')];
  const teacher = await cookieOf(teacherCode, 'fourth teacher');
  const id = await idOf('ivy', teacher);
  const remove = (who: Record<string, string>): Promise<Answer> =>
    app.send('DELETE', `/api/classroom/members/${id}`, undefined, who);
  expect(await remove(jon)).toMatchObject({ status: 403, json: { code: 'ACCESS.TEACHER_ONLY' } });
  expect((await remove(teacher)).status).toBe(200);
  expect((await remove(teacher)).status).toBe(404);
  expect((await app.get('/api/goals', ivy)).json['code']).toBe('ACCESS.JOIN');
  expect((await join(code, 'ivy')).status).toBe(200);
});

test('the teacher joins again under the same name, also when a student has taken it', async () => {
  const { code = '', teacherCode = '' } = app.started;
  const student = await cookieOf(code, 'ms. li');
  const teacher = await cookieOf(teacherCode, 'ms. li');
  const again = await cookieOf(teacherCode, 'ms. li');
  expect((await app.get('/api/goals', student)).status).toBe(401);
  for (const who of [teacher, again])
    expect((await app.get('/api/classroom', who)).json).toMatchObject({ member: { isTeacher: true } });
  expect((await join(code, 'ms. li')).status).toBe(403);
});

test('the board sorts the numbers in names as numbers', async () => {
  const { code = '' } = app.started;
  for (const name of ['row 10', 'row 9', 'row 1']) await cookieOf(code, name);
  const { json } = await app.get<{ rows: { name: string }[] }>(
    '/api/classroom/board',
    await cookieOf(code, 'row 2'),
  );
  expect(json.rows.map(({ name }) => name).filter((name) => name.startsWith('row'))).toEqual([
    'row 1',
    'row 2',
    'row 9',
    'row 10',
  ]);
});

test('only the teacher runs faults, which hit the replicas of everybody', async () => {
  const { code = '', teacherCode = '' } = app.started;
  const run = { strategy: 'setnx', fault: 'after(SETNX)=kill' };
  const codes = [
    await app.post('/api/runs', run, await cookieOf(code, 'dave')),
    await app.post('/api/runs/presets/setnx-killed', {}, await cookieOf(code, 'eve')),
    await app.post('/api/runs', run, await cookieOf(teacherCode, 'the teacher')),
  ].map(({ json }) => json['code']);
  expect(codes).toEqual(['ACCESS.TEACHER_ONLY', 'ACCESS.TEACHER_ONLY', 'LAB.STOPPED']);
});

test('a page of another origin, and a name that is not this machine, are refused', async () => {
  const { code = '' } = app.started;
  const own = await cookieOf(code, 'carol');
  const codes = [
    await app.get('/api/goals', { ...own, origin: 'http://evil.example' }),
    await app.get('/api/goals', { ...own, host: 'evil.example' }),
    await app.get('/api/goals', { ...own, origin: app.url }),
  ].map(({ status, json }) => [status, json['code']]);
  expect(codes).toEqual([
    [403, 'ACCESS.ORIGIN'],
    [403, 'ACCESS.HOST'],
    [200, undefined],
  ]);
});

test('wrong codes of others behind one address do no harm until there are two hundred in a minute', async () => {
  const other = await ConsoleProcess.start({ isClass: true });
  try {
    const { code: right = '' } = other.started;
    const send = (code: string, name: string): Promise<Answer> =>
      other.post('/api/classroom/join', { code, name });
    const mistype = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) expect((await send(`WRONG${i}`, 'eve')).status).toBe(403);
    };
    await mistype(199);
    expect((await send(right, 'ann')).status).toBe(200);
    await mistype(1);
    expect((await send(right, 'bob')).json).toMatchObject({
      code: 'ACCESS.REFUSED',
      errors: { reason: 'too-many-tries' },
    });
  } finally {
    await other.stop();
  }
});

test('at most two jobs of a student wait; those of the teacher, and the first of another student, run before them', async () => {
  const { code = '', teacherCode = '' } = app.started;
  const [gus, hal, teacher] = [
    await cookieOf(code, 'gus'),
    await cookieOf(code, 'hal'),
    await cookieOf(teacherCode, 'third teacher'),
  ];
  const explore = (
    who: Record<string, string>,
    strategy: string,
  ): Promise<Answer<{ job?: { id: string } }>> =>
    app.post('/api/explorations', { strategy, faults: 'pause:1', seconds: 60 }, who);
  const first = await explore(gus, 'redlock');
  await running(first.json.job?.id ?? '', gus);
  for (let i = 0; i < 2; i++) expect((await explore(gus, 'none')).status).toBe(201);
  expect(await explore(gus, 'none')).toMatchObject({ status: 429, json: { code: 'JOB.TOO_MANY' } });
  expect((await explore(hal, 'setnx')).status).toBe(201);
  const urgent = await explore(teacher, 'fenced');
  expect(urgent.json.job).toMatchObject({ state: 'queued', ahead: 1, elapsedMs: 0 });
  const list = async (): Promise<JobList> => (await app.get<JobList>('/api/jobs', teacher)).json;
  const { jobs } = await list();
  expect(jobs.map(({ by, title, job }) => [by, title, job.ahead])).toEqual([
    ['gus', 'redlock · pause:1', 0],
    ['third teacher', 'fenced · pause:1', 1],
    ['hal', 'setnx · pause:1', 2],
    ['gus', 'none · pause:1', 3],
    ['gus', 'none · pause:1', 4],
  ]);
  const cancel = (id = ''): Promise<Answer> =>
    app.send('DELETE', `/api/explorations/${id}`, undefined, teacher);
  await cancel(jobs[3]?.job.id);
  expect((await list()).jobs.map(({ by, job }) => [by, job.ahead])).toEqual([
    ['gus', 0],
    ['third teacher', 1],
    ['hal', 2],
    ['gus', 3],
  ]);
  for (const { job } of [...(await list()).jobs].reverse()) await cancel(job.id);
});

test('when the teacher removes a student, the console cancels its running job and its two waiting jobs', async () => {
  const { code = '', teacherCode = '' } = app.started;
  const [kim, leo] = [await cookieOf(code, 'kim'), await cookieOf(code, 'leo')];
  const teacher = await cookieOf(teacherCode, 'fifth teacher');
  const explore = async (who: Record<string, string>, strategy: string): Promise<string> => {
    const { json } = await app.post<{ job: { id: string } }>(
      '/api/explorations',
      { strategy, faults: 'pause:1', seconds: 60 },
      who,
    );
    return json.job.id;
  };
  const first = await explore(kim, 'redlock');
  await running(first, kim);
  const own = [first, await explore(kim, 'none'), await explore(kim, 'none')];
  const other = await explore(leo, 'setnx');
  await app.send('DELETE', `/api/classroom/members/${await idOf('kim', teacher)}`, undefined, teacher);
  const jobOf = async (job: string): Promise<{ state: string; cancelledBecause?: string }> =>
    (await app.get<{ job: { state: string } }>(`/api/explorations/${job}`, teacher)).json.job;
  await eventually('the running job has ended', async () => (await jobOf(first)).state !== 'running');
  for (const job of await Promise.all(own.map(jobOf)))
    expect(job).toMatchObject({ state: 'cancelled', cancelledBecause: 'student-removed' });
  expect((await app.get<JobList>('/api/jobs', teacher)).json.jobs.map(({ by }) => by)).toEqual(['leo']);
  expect((await app.post('/api/explorations', { strategy: 'none' }, kim)).json['code']).toBe('ACCESS.JOIN');
  await app.send('DELETE', `/api/explorations/${other}`, undefined, teacher);
});

test('when the teacher removes a student, the console ends the event stream of this student; others continue', async () => {
  const { code = '', teacherCode = '' } = app.started;
  const [mia, ned] = [await cookieOf(code, 'mia'), await cookieOf(code, 'ned')];
  const teacher = await cookieOf(teacherCode, 'sixth teacher');
  const { json } = await app.post<{ job: { id: string } }>(
    '/api/explorations',
    { strategy: 'redlock', faults: 'pause:1', seconds: 60 },
    teacher,
  );
  const path = `/api/explorations/${json.job.id}`;
  await running(json.job.id, teacher);
  const [own, other] = [await app.open(`${path}/events`, mia), await app.open(`${path}/events`, ned)];
  expect([own.status, other.status]).toEqual([200, 200]);
  let isOtherOpen = true;
  const otherEnd = other.text.then(() => (isOtherOpen = false));
  await app.send('DELETE', `/api/classroom/members/${await idOf('mia', teacher)}`, undefined, teacher);
  expect(await own.text).toContain('"state":"running"');
  expect((await app.get(path, teacher)).json).toMatchObject({ job: { state: 'running' } });
  expect(isOtherOpen).toBe(true);
  expect((await app.open(`${path}/events`, mia)).status).toBe(401);
  await app.send('DELETE', path, undefined, teacher);
  await otherEnd;
});

interface JobList {
  readonly jobs: readonly {
    readonly title: string;
    readonly by: string;
    readonly job: { readonly id: string; readonly ahead: number };
  }[];
}

/** Waits until a job has begun. */
const running = (id: string, who: Record<string, string>): Promise<void> =>
  eventually('the exploration has begun', async () => {
    const { json } = await app.get<{ job: { state: string } }>(`/api/explorations/${id}`, who);
    return json.job.state === 'running';
  });

test('a student explores for at most a minute, and cancels only its own job', async () => {
  const { code = '', teacherCode = '' } = app.started;
  const [dan, fay, teacher] = [
    await cookieOf(code, 'dan'),
    await cookieOf(code, 'fay'),
    await cookieOf(teacherCode, 'second teacher'),
  ];
  const explore = (who: Record<string, string>, seconds: number): Promise<Answer<{ job?: { id: string } }>> =>
    app.post('/api/explorations', { strategy: 'redlock', faults: 'pause:1', seconds }, who);
  expect(await explore(dan, 600)).toMatchObject({ status: 403, json: { code: 'ACCESS.TEACHER_ONLY' } });
  const { json } = await explore(dan, 60);
  const cancel = (who: Record<string, string>): Promise<Answer> =>
    app.send('DELETE', `/api/explorations/${json.job?.id ?? ''}`, undefined, who);
  expect(await cancel(fay)).toMatchObject({ status: 403, json: { code: 'ACCESS.TEACHER_ONLY' } });
  const { job } = (await cancel(teacher)).json as { job?: { id: string } };
  await eventually('the job has ended', async () => {
    const { json: found } = await app.get<{ job: object }>(`/api/explorations/${job?.id ?? ''}`, teacher);
    return 'cancelledBecause' in found.job && found.job.cancelledBecause === 'teacher';
  });
});
