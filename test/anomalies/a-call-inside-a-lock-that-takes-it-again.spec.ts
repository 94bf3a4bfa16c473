import { NESTED, playNested, type NestedRun, type World } from '#lab/explore';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

function played(name: string): Promise<NestedRun> {
  const way = NESTED.find((one) => one.name === name);
  if (way === undefined) throw new Error(`there is no way "${name}"`);
  return playNested(world, way);
}

const kindsOf = ({ verdict }: NestedRun): string[] => verdict.violations.map(({ kind }) => kind);

test("as published: the inner call's finally releases the outer call's lock, and the next buyer enters", async () => {
  const run = await played('as published');
  expect(kindsOf(run)).toEqual(['oversold', 'lost-update']);
  const events = run.history.events.filter((event) => event.type === 'step' && event.actor === 'A');
  const verbs = events.map((event) => (event.type === 'step' ? event.verb : ''));
  expect(verbs.slice(0, 3)).toEqual(['SET', 'SET', 'DEL']);
  expect(events[1]).toMatchObject({ reply: null });
  expect(events[2]).toMatchObject({ reply: 1 });
  expect(run.asExpected).toBe(true);
});

test('waiting: it waits for itself until waitMs is over, and nothing is sold', async () => {
  const run = await played('waiting');
  expect(run.outcomes).toEqual(['LOCK.NOT_OBTAINED', 'LOCK.NOT_OBTAINED']);
  expect(run.history.final.movements).toEqual([]);
  expect([...new Set(kindsOf(run))]).toEqual(['dead-lock']); // with itself
  expect(run.asExpected).toBe(true);
});

test('reentrant: the same call takes it once more; the other buyer waits, and is told that all is sold', async () => {
  const run = await played('reentrant');
  expect(run.outcomes).toEqual(['APPLIED', 'STOCK.SOLD_OUT']);
  expect(kindsOf(run)).toEqual([]);
  expect(run.asExpected).toBe(true);
});
