import { exploreSubject, WorkerPool } from '#lab/explore';
import { subjectNamed } from '#lab/own';
import type { SubjectDefinition } from '#lab/subject';
import type { Redis } from 'ioredis';
import { openOwnFiles } from './own-files';

const { world } = openOwnFiles(__filename);

type Actor = (clients: { readonly redis: Redis }) => Promise<unknown>;

const reads: Actor = async ({ redis }) => [await redis.get('a'), await redis.get('b')];

/** `kill:1 kept` for each fault that a subject is explored with. */
async function statesOf(actor: Actor): Promise<string[]> {
  const definition = { actors: [actor, actor], invariants: { holds: () => true } };
  const subject = subjectNamed('with-faults', definition as SubjectDefinition<object>);
  const exploring = exploreSubject(WorkerPool.on(world()), subject, 600_000, {
    signal: new AbortController().signal,
  });
  const states: string[] = [];
  for await (const { faults, state } of exploring) states.push(`${faults} ${state}`.trimStart());
  return states;
}

test('a subject that takes no lease and writes no key: a fault that cannot occur is not applicable', async () => {
  expect(await statesOf(reads)).toEqual([
    'kept',
    'kill:1 kept',
    'lose-reply:1 kept',
    'error:1 kept',
    'lapse:1 not-applicable',
    'pause:1 kept',
    'flush:1 not-applicable',
  ]);
});

test('a subject that takes a lease: every fault occurs', async () => {
  const states = await statesOf(async ({ redis }) => {
    await redis.set('a', '1', 'PX', 10_000);
    await redis.get('a');
  });
  expect(states.filter((state) => !state.endsWith('kept'))).toEqual([]);
});

test('a subject of one command: a process cannot end between two of them', async () => {
  const states = await statesOf(({ redis }) => redis.get('a'));
  expect(states).toEqual(expect.arrayContaining(['kill:1 not-applicable', 'pause:1 not-applicable']));
});
