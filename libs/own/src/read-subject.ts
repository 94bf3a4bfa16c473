import type { ActorInProcess, Connect, Isolation, SubjectDefinition } from '#lab/subject';
import type { OwnSubject } from './subject-contract';

/** A definition that cannot be explored, and what to change. */
export class NotASubject extends Error {
  readonly code = 'KIT.SUBJECT';

  constructor(why: string) {
    super(why);
    this.name = 'NotASubject';
  }
}

const MAX_ACTORS = 3;
const MIN_ACTORS = 2;

/** Checks what a user has written. Throws `NotASubject`. */
export function readDefinition(value: unknown): SubjectDefinition<object> {
  if (typeof value !== 'object' || value === null)
    throw new NotASubject('a subject is an object {prepare, actors, invariants}');
  const { setUp, prepare, actors, invariants } = value as Record<string, unknown>;
  for (const [name, optional] of Object.entries({ setUp, prepare }))
    if (optional !== undefined && typeof optional !== 'function')
      throw new NotASubject(`${name} must be a function of the clients`);
  if (!Array.isArray(actors) || !actors.every(isActor))
    throw new NotASubject('actors must be a list of functions, or of objects {process, run}');
  if (actors.length < MIN_ACTORS || actors.length > MAX_ACTORS)
    throw new NotASubject(`a subject has ${MIN_ACTORS} or ${MAX_ACTORS} actors, not ${actors.length}`);
  const isMap = typeof invariants === 'object' && invariants !== null && !Array.isArray(invariants);
  if (!isMap || Object.keys(invariants).length === 0 || !Object.values(invariants).every(isFunction))
    throw new NotASubject(
      "invariants must be an object of functions, for example {'a coupon is redeemed once': async ({ sql }) => …}",
    );
  return value as SubjectDefinition<object>;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

const isActor = (value: unknown): boolean => {
  if (typeof value === 'function') return true;
  const { process, run } = (value ?? {}) as { process?: unknown; run?: unknown };
  return typeof run === 'function' && (process === undefined || typeof process === 'string');
};

/** The actors with the names of their processes: `p1`, `p2`, … in the order of their first actors. */
export function actorsOf<Clients>({
  actors,
}: SubjectDefinition<Clients>): readonly Required<ActorInProcess<Clients>>[] {
  const own = actors.map((actor, i) =>
    typeof actor === 'function'
      ? { process: `#${i}`, run: actor }
      : { process: actor.process ?? `#${i}`, run: actor.run.bind(actor) },
  );
  const names = [...new Set(own.map(({ process }) => process))];
  return own.map(({ process, run }) => ({ process: `p${names.indexOf(process) + 1}`, run }));
}

/** The subject that a definition makes. */
export const subjectNamed = (
  name: string,
  definition: SubjectDefinition<object>,
  more: { readonly module?: string; readonly connect?: Connect; readonly isolation?: Isolation } = {},
): OwnSubject => ({
  kind: 'subject',
  name,
  mechanism: 'A subject of a user.',
  defect: 'Unknown: the explorer looks for it.',
  source: name,
  options: [],
  expected: {},
  next: { why: 'unknown' },
  sharesState: true,
  setsTimers: true,
  definition,
  apply: {
    toString: () =>
      definition.actors.map((actor) => (typeof actor === 'function' ? actor : actor.run).toString()).join(),
  },
  ...more,
});

export const isSubject = (explored: object): explored is OwnSubject =>
  'kind' in explored && explored.kind === 'subject';
