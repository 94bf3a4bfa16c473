/**
 * Scenario: a method that holds the lock calls another method that takes the same lock.
 *
 * Why it breaks: the inner `SET NX` fails, but the inner `finally` deletes the key all the same, so the outer
 * critical section continues without a lock. Waiting instead is a deadlock of the call with itself.
 *
 * Fix: a reentrant lock that counts the acquisitions of one owner.
 */
import { NESTED, playNested, type NestedRun, type World } from '#lab/explore';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

function runNested(name: string): Promise<NestedRun> {
  const variant = NESTED.find((candidate) => candidate.name === name);
  if (variant === undefined) throw new Error(`there is no variant "${name}"`);
  return playNested(world, variant);
}

const kindsOf = ({ verdict }: NestedRun): string[] => verdict.violations.map(({ kind }) => kind);

test('as published: the finally block of the inner call releases the lock of the outer call, and the next buyer enters', async () => {
  const run = await runNested('as published');
  expect(kindsOf(run)).toEqual(['oversold', 'lost-update']);
  const events = run.history.events.filter((event) => event.type === 'step' && event.actor === 'A');
  const verbs = events.map((event) => (event.type === 'step' ? event.verb : ''));
  expect(verbs.slice(0, 3)).toEqual(['SET', 'SET', 'DEL']);
  expect(events[1]).toMatchObject({ reply: null });
  expect(events[2]).toMatchObject({ reply: 1 });
  expect(run.asExpected).toBe(true);
});

test('waiting: the inner call waits for its own caller until waitMs is over, and nothing is sold', async () => {
  const run = await runNested('waiting');
  expect(run.outcomes).toEqual(['LOCK.NOT_OBTAINED', 'LOCK.NOT_OBTAINED']);
  expect(run.history.final.movements).toEqual([]);
  expect([...new Set(kindsOf(run))]).toEqual(['dead-lock']); // the call deadlocks with itself
  expect(run.asExpected).toBe(true);
});

test('reentrant: the inner call acquires the lock again; the other buyer waits, then finds the product sold out', async () => {
  const run = await runNested('reentrant');
  expect(run.outcomes).toEqual(['APPLIED', 'STOCK.SOLD_OUT']);
  expect(kindsOf(run)).toEqual([]);
  expect(run.asExpected).toBe(true);
});
