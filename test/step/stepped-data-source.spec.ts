import { SteppedDataSource, observe, type Step } from '#lab/step';
import { createConnection } from 'mysql2/promise';
import { eventually } from '../harness/eventually';
import { schemaOf, servers } from '../harness/servers';

const schema = schemaOf(__filename);
const opened: SteppedDataSource[] = [];

async function open(
  options: Partial<ConstructorParameters<typeof SteppedDataSource>[0]> = {},
): Promise<SteppedDataSource> {
  const source = new SteppedDataSource({ url: servers().mysql, database: schema, ...options });
  await source.initialize();
  opened.push(source);
  return source;
}

beforeAll(async () => {
  const admin = await createConnection({ uri: servers().mysql });
  await admin.query(`DROP DATABASE IF EXISTS ${schema}`);
  await admin.query(`CREATE DATABASE ${schema}`);
  await admin.query(`CREATE TABLE ${schema}.t (id INT PRIMARY KEY, big BIGINT) ENGINE = InnoDB`);
  await admin.query(`INSERT INTO ${schema}.t VALUES (1, 5)`);
  await admin.end();
});
afterAll(async () => {
  await Promise.all(opened.map((source) => source.destroy()));
  const admin = await createConnection({ uri: servers().mysql });
  await admin.query(`DROP DATABASE ${schema}`);
  await admin.end();
});

const settings =
  'SELECT @@tx_isolation AS isolation, @@innodb_lock_wait_timeout AS lockWait, CONNECTION_ID() AS id';
type Settings = { isolation: string; lockWait: number; id: number };

test('every session of the pool has the requested isolation and lock wait instead of the server’s', async () => {
  const source = await open({ isolation: 'READ COMMITTED', lockWaitSeconds: 7, poolSize: 3 });
  const runners = [source.createQueryRunner(), source.createQueryRunner(), source.createQueryRunner()];
  const found: Settings[] = [];
  for (const runner of runners) {
    await runner.connect();
    found.push(...((await runner.query(settings)) as Settings[]));
  }
  await Promise.all(runners.map((runner) => runner.release()));
  expect(new Set(found.map(({ id }) => id)).size).toBe(3);
  for (const { isolation, lockWait } of found) expect([isolation, lockWait]).toEqual(['READ-COMMITTED', 7]);
});

test('a step records the session that executes it', async () => {
  const source = await open();
  const seen: Step[] = [];
  const listener = (step: Step, issue: () => Promise<unknown>): Promise<unknown> => {
    seen.push(step);
    return issue();
  };
  const id = await observe({ actor: 'A', listener }, () =>
    source.transaction(async (tx) => (await tx.query<Settings[]>(settings))[0]?.id),
  );
  expect(seen.map(({ verb }) => verb)).toEqual(['START', 'SELECT', 'COMMIT']);
  expect(seen.map(({ connection }) => connection)).toEqual([id, id, id]);
});

test('a statement is one line with its parameters inlined', async () => {
  const source = await open();
  const texts: string[] = [];
  await observe(
    {
      actor: 'A',
      listener: (step, issue) => {
        texts.push(step.text);
        return issue();
      },
    },
    () => source.query('SELECT big\n   FROM t WHERE id = ? AND ? = ?', [1, 'a?b', 'a?b']),
  );
  expect(texts).toEqual(['SELECT big FROM t WHERE id = 1 AND "a?b" = "a?b"']);
});

test('a BIGINT is a number', async () => {
  const source = await open();
  expect(await source.query('SELECT big FROM t')).toEqual([{ big: 5 }]);
});

test('an SQL error passes unchanged; a lost connection becomes DEPENDENCY.DOWN', async () => {
  const source = await open();
  await expect(source.query('SELECT nonsense')).rejects.toMatchObject({
    driverError: { code: 'ER_BAD_FIELD_ERROR' },
  });
  const killed = source.transaction(async (tx) => {
    const [row] = await tx.query<Settings[]>(settings);
    const admin = await createConnection({ uri: servers().mysql });
    await admin.query('KILL ?', [row?.id]);
    await admin.end();
    await tx.query('SELECT 1');
  });
  await expect(killed).rejects.toMatchObject({ code: 'DEPENDENCY.DOWN', dependency: 'mysql' });
});

test('a statement whose connection was destroyed and killed is not awaited: the server is not probed because of it', async () => {
  const source = await open({ poolSize: 2 });
  const pending = (): number => source['liveness']['pending'].size;
  const runner = source.createQueryRunner();
  const connection = (await runner.connect()) as { threadId: number; destroy(): void };
  void runner.query('DO SLEEP(600)');
  await eventually('the server runs the statement', async () => {
    const running = `SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ${connection.threadId} AND INFO LIKE 'DO%'`;
    return (await source.query<unknown[]>(running)).length === 1;
  });
  expect(pending()).toBe(1);
  connection.destroy();
  await source.query(`KILL CONNECTION ${connection.threadId}`);
  await eventually('no statement is pending', () => pending() === 0);
  expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});
