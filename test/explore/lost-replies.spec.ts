import { loseReplies, renderLostReplies, type LostReply, type World } from '#lab/explore';
import { CATALOGUE } from '#lab/strategy';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);

const COMMAND = 'npx lab lost-replies --docs docs/lost-replies.md';

let world: World;
const rows: LostReply[] = [];
beforeAll(async () => {
  world = await openWorld(__filename);
  for (const strategy of CATALOGUE) rows.push(...(await loseReplies(world, strategy)));
});
afterAll(() => world.close());

test('docs/lost-replies.md matches the results', () => {
  const committed = readFileSync(join(__dirname, '../../docs/lost-replies.md'), 'utf8');
  const state = committed === renderLostReplies(rows) ? 'up to date' : `stale: run "${COMMAND}"`;
  expect(state).toBe('up to date');
});

test('a lost reply alone never oversells', () => {
  expect(rows.length).toBeGreaterThan(20);
  const twice = rows.filter(({ violations }) =>
    violations.some((kind) => kind === 'oversold' || kind === 'lost-acknowledged'),
  );
  expect(twice.map(({ strategy }) => strategy)).toEqual([]);
});

test('a lost acquire leaves the lock forever only when the key has no expiry', () => {
  const forever = rows.filter(({ truth }) => truth === 'the lock is held, for ever');
  const lacking = CATALOGUE.filter(({ lacks }) => lacks.includes('survivesDeadHolder')).map(
    ({ name }) => name,
  );
  expect(forever.length).toBeGreaterThan(0);
  for (const { strategy } of forever) expect(lacking).toContain(strategy);
});

test('a holder that lost the reply to a renewal does not detect the end of its lease, and sells', () => {
  const renewing = rows.filter(({ asked }) => asked === 'renew');
  expect(renewing.map(({ strategy }) => strategy)).toEqual(expect.arrayContaining(['watchdog', 'etcd']));
  for (const { strategy, believes, truth } of renewing)
    expect([strategy, believes, truth]).toEqual([strategy, 'APPLIED', 'the lock is free']);
});

test('a holder that lost the reply to a release keeps the sale', () => {
  for (const { strategy, asked, believes } of rows)
    if (asked === 'release') expect([strategy, believes]).toEqual([strategy, 'APPLIED']);
});
