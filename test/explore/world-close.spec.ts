import { EXPLORE_OPTIONS, InteractiveSchedule, readSchedule } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { openWorld, schemaOf, servers } from '../harness/servers';

test('a world closes in the middle of a schedule in which a statement waits for a lock of another buyer', async () => {
  const world = await openWorld(__filename, []);
  const setup = {
    strategy: findStrategy('none'),
    options: EXPLORE_OPTIONS,
    stock: 1,
    processes: ['p1', 'p2'],
  };
  const choices = readSchedule('ab4a2') ?? [];
  const schedule = await InteractiveSchedule.begin(world, setup, { choices, checks: '' });
  const { actors } = await schedule.view();
  await world.close();
  expect(actors[0]?.next).toMatchObject({ kind: 'sql', isInFlight: true }); // its UPDATE waits for the row that B has locked
  const admin = await createConnection({ uri: servers().mysql });
  const [rows] = await admin.query<RowDataPacket[]>('SHOW DATABASES LIKE ?', [schemaOf(__filename)]);
  await admin.end();
  expect(rows).toEqual([]);
}, 30_000);
