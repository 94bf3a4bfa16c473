import type { GuardExpectation } from '#lab/guard';
import { limitOf, LIMITERS, type Limit, type Limiter, UnknownLimiter } from '#lab/limit';
import type { FaultName, Protection } from '#lab/strategy';

const PREFIX = 'limit/';

/** A rate limiter as schedules explore it: each actor sends one request of one client, whose limit is 1. */
export interface ExploredLimiter extends Protection {
  readonly name: `limit/${string}`;
  readonly limiter: Limiter;
  readonly limit: Limit;
  readonly next: { readonly why: string };
  /** The violations that it shows, by the fault of a schedule; `none`: without a fault. */
  readonly expected: Partial<Readonly<Record<FaultName | 'none', GuardExpectation>>>;
  /** The code whose change makes a token invalid. */
  readonly apply: Limiter['decide'];
}

/** The window is longer than a schedule takes in real time: it never ends within one. */
const LIMIT = { max: 1, windowMs: 3_600_000 };

/** Without PEXPIRE, the count of the client stays for ever. */
const WITHOUT_EXPIRY: GuardExpectation = { must: ['blocked-forever'] };
const BOTH_FIND_ROOM: GuardExpectation = { must: ['over-limit'] };

/** What the schedules of a limiter show; the others show nothing. */
const EXPECTED: Readonly<Record<string, ExploredLimiter['expected']>> = {
  'in-process': { none: BOTH_FIND_ROOM },
  'fixed-window-two-commands': {
    kill: WITHOUT_EXPIRY,
    error: WITHOUT_EXPIRY,
    'lose-reply': WITHOUT_EXPIRY,
  },
  'sliding-log-unatomic': {
    none: BOTH_FIND_ROOM,
    kill: { must: [], may: ['blocked-forever'] }, // between ZADD and PEXPIRE
    error: { must: [], may: ['blocked-forever'] },
    'lose-reply': { must: [], may: ['blocked-forever'] },
  },
};

/** Limiters whose defect needs no timer of their own: the timers of `token-list` fire in no schedule. */
export const EXPLORED_LIMITERS: readonly ExploredLimiter[] = LIMITERS.filter(
  ({ name }) => name !== 'token-list',
).map((limiter) => {
  const { name, mechanism, defect, source, next, decide } = limiter;
  return {
    name: `${PREFIX}${name}` as const,
    mechanism,
    defect,
    source,
    next,
    options: [],
    limiter,
    limit: limitOf(limiter, LIMIT),
    expected: EXPECTED[name] ?? {},
    apply: decide,
    ...(name === 'in-process' && { sharesState: true as const }),
  };
});

export const isLimiter = (explored: { readonly name: string }): explored is ExploredLimiter =>
  explored.name.startsWith(PREFIX);

/** Finds a limiter as `limit/NAME`. Throws `UnknownLimiter` with the names that exist. */
export function findExploredLimiter(name: string): ExploredLimiter {
  const found = EXPLORED_LIMITERS.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new UnknownLimiter(
    name,
    EXPLORED_LIMITERS.map((one) => one.name),
  );
}
