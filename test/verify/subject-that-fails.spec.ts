import { exploreSubject, WorkerPool, type SubjectResult } from '#lab/explore';
import { subjectNamed } from '#lab/own';
import type { SubjectDefinition } from '#lab/subject';
import { Redis } from 'ioredis';
import { openOwnFiles } from './own-files';

const { world } = openOwnFiles(__filename);

type Definition = SubjectDefinition<{ readonly sql: { query(text: string): Promise<unknown> } }>;

/** Two actors that read, with changes. */
const definitionWith = (changes: Partial<Definition>): Definition => ({
  actors: [({ sql }) => sql.query('SELECT 1'), ({ sql }) => sql.query('SELECT 1')],
  invariants: { holds: () => true },
  ...changes,
});

async function resultsOf(definition: Definition): Promise<SubjectResult[]> {
  const subject = subjectNamed('fails', definition as SubjectDefinition<object>);
  const results: SubjectResult[] = [];
  const exploring = exploreSubject(WorkerPool.on(world()), subject, 600_000, {
    signal: new AbortController().signal,
  });
  for await (const result of exploring) results.push(result);
  return results;
}

const broken: Definition['actors'][number] = ({ sql }) => sql.query('SELEC 1');
const boom = (): never => {
  throw new Error('no table');
};

test('a subject whose actors all throw is refused with the error', async () => {
  await expect(resultsOf(definitionWith({ actors: [broken, broken] }))).rejects.toThrow(
    /no actor returns in any schedule, so that nothing is tested: .*SELEC 1/,
  );
});

test('a subject whose actors send no command that is observed is refused', async () => {
  await expect(resultsOf(definitionWith({ actors: [() => 1, () => 2] }))).rejects.toThrow(
    'no command of the actors was observed in any schedule, so that nothing is tested',
  );
});

test('a subject of which one actor sends no command is explored', async () => {
  const [withoutFault] = await resultsOf(
    definitionWith({ actors: [() => 1, ({ sql }) => sql.query('SELECT 1')] }),
  );
  expect(withoutFault).toMatchObject({ faults: '', state: 'kept' });
});

test('a subject of which one actor throws is explored', async () => {
  const [withoutFault] = await resultsOf(
    definitionWith({ actors: [broken, ({ sql }) => sql.query('SELECT 1')] }),
  );
  expect(withoutFault).toMatchObject({ faults: '', state: 'kept' });
});

test.each([
  ['prepare', { prepare: boom }],
  ['setUp', { setUp: boom }],
])('a subject whose %s throws is refused with the name of the part', async (part, changes) => {
  await expect(resultsOf(definitionWith(changes))).rejects.toThrow(`${part} throws: no table`);
});

describe('a client that is not observed', () => {
  let hidden: Redis;
  beforeAll(() => {
    hidden = new Redis(world().options.redis);
  });
  afterAll(() => {
    hidden.disconnect();
  });
  const both: Definition['actors'][number] = async ({ sql }) => [
    await sql.query('SELECT 1'),
    await hidden.incr('hidden'),
  ];

  test('ends the exploration', async () => {
    await expect(resultsOf(definitionWith({ actors: [both, both] }))).rejects.toMatchObject({
      code: 'EXPLORE.UNOBSERVED',
    });
  });

  test('leaves a circumstance undecided when a violation was found in another one', async () => {
    let isFalse = true;
    const subject = subjectNamed(
      'broken-once',
      definitionWith({
        actors: [both, both],
        invariants: { holds: () => !isFalse },
      }) as SubjectDefinition<object>,
    );
    const results: SubjectResult[] = [];
    const exploring = exploreSubject(WorkerPool.on(world()), subject, 600_000, {
      signal: new AbortController().signal,
    });
    for await (const result of exploring) {
      results.push(result);
      isFalse = false;
    }
    expect(results.map(({ state }) => state)).toEqual(['broken', ...Array<string>(6).fill('unknown')]);
    expect(results.at(-1)?.why).toContain('"INCR hidden"');
  });
});
