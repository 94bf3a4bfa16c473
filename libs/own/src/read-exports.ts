import { CAPABILITIES, type Capability, type Strategy } from '#lab/strategy';
import { basename, extname } from 'node:path';
import type { CreateLock, Declared } from './contract';
import { sellUnder } from './lock-strategy';
import { NotASubject, readDefinition, subjectNamed } from './read-subject';
import type { OwnSubject } from './subject-contract';

/** A file cannot be verified, and the message says what to change. */
export class NotVerifiable extends Error {
  readonly code = 'VERIFY.FILE';

  constructor(file: string, why: string, options?: ErrorOptions) {
    super(`${basename(file)}: ${why}`, options);
    this.name = 'NotVerifiable';
  }
}

const WHAT_TO_EXPORT =
  'export a function createLock(clients) that returns {acquire, release}, a subject {prepare, actors, invariants}, or a strategy {name, apply}; "npx lab new lock FILE" writes an example';

/** The names of strategies of users' files begin with this. */
export const OWN = 'own-';

/** The name of the strategy of a file: that of the file. Names in tokens have letters, digits and hyphens. */
export const nameOf = (file: string): string =>
  `${OWN}${basename(file, extname(file)).replace(/[^A-Za-z0-9]+/g, '-')}`;

/** The strategy that a file's exports make: its own, or a sale under its lock. Throws `NotVerifiable`. */
export function strategyOf(exported: unknown, file: string): Strategy {
  if (typeof exported !== 'object' || exported === null) throw new NotVerifiable(file, WHAT_TO_EXPORT);
  const all = withDefault(exported as Record<string, unknown>);
  const declared = readDeclared(all, file);
  const createLock = all['createLock'];
  if (typeof createLock === 'function')
    return {
      ...base(file, declared),
      isLock: true,
      apply: sellUnder(createLock as CreateLock, nameOf(file)),
    };
  if (createLock !== undefined) throw new NotVerifiable(file, 'createLock must be a function of the clients');
  const strategy = [all, ...Object.values(all)].find(isStrategyLike);
  if (strategy === undefined)
    throw new NotVerifiable(file, `it exports neither a lock nor a strategy: ${WHAT_TO_EXPORT}`);
  return { ...base(file, declared), ...strategy, readsClock: true, name: nameOf(file), module: file };
}

/** The subject that a file exports; undefined: it exports none. Throws `NotVerifiable`. */
export function subjectIn(exported: unknown, file: string): OwnSubject | undefined {
  if (typeof exported !== 'object' || exported === null) return undefined;
  const { subject } = withDefault(exported as Record<string, unknown>);
  if (subject === undefined) return undefined;
  try {
    return subjectNamed(nameOf(file), readDefinition(subject), { module: file });
  } catch (error) {
    if (error instanceof NotASubject) throw new NotVerifiable(file, error.message, { cause: error });
    throw error;
  }
}

/** The properties of a default export count as exports; a default export that is a function is `createLock`. */
function withDefault(exported: Record<string, unknown>): Record<string, unknown> {
  const { default: own } = exported;
  if (typeof own === 'function') return { createLock: own, ...exported };
  return typeof own === 'object' && own !== null ? { ...exported, ...('apply' in own ? {} : own) } : exported;
}

const isStrategyLike = (value: unknown): value is Pick<Strategy, 'apply'> =>
  typeof value === 'object' && value !== null && 'apply' in value && typeof value.apply === 'function';

function readDeclared({ lacks, needs }: Record<string, unknown>, file: string): Declared {
  const unknown = Array.isArray(lacks) ? lacks.filter((one) => !(String(one) in CAPABILITIES)) : [];
  if (lacks !== undefined && (!Array.isArray(lacks) || unknown.length > 0))
    throw new NotVerifiable(
      file,
      `lacks must be a list of: ${Object.keys(CAPABILITIES).join(', ')}${unknown.length > 0 ? `; not ${unknown.join(', ')}` : ''}`,
    );
  if (needs !== undefined && (!Array.isArray(needs) || !needs.every((one) => one === 'redlock')))
    throw new NotVerifiable(file, "needs may only be ['redlock']: several independent Redis servers");
  return {
    ...(lacks !== undefined && { lacks: lacks as Capability[] }),
    ...(needs !== undefined && { needs: needs as Declared['needs'] & object }),
  };
}

const base = (file: string, { lacks = [], needs = [] }: Declared): Omit<Strategy, 'apply'> => ({
  name: nameOf(file),
  mechanism: `The lock of ${basename(file)}.`,
  defect: 'Unknown: lab verify looks for it.',
  source: basename(file),
  next: { why: 'unknown' },
  options: ['leaseMs', 'waitMs', 'workMs'],
  module: file,
  sharesState: true,
  setsTimers: true,
  prefixesKeys: true,
  needs,
  lacks,
  expected: {},
});

/** Whether a file says which promises it does not make. */
export const declaresLacks = (exported: unknown): boolean =>
  typeof exported === 'object' &&
  exported !== null &&
  'lacks' in withDefault(exported as Record<string, unknown>);
