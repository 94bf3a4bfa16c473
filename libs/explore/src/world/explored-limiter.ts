import type { GuardExpectation } from '#lab/guard';
import { limitOf, LIMITERS, type Limit, type Limiter, UnknownLimiter } from '#lab/limit';
import type { FaultName, Protection } from '#lab/strategy';

const PREFIX = 'limit/';

/** A rate limiter as schedules explore it: each actor sends one request of one client, whose limit is 1. */
export interface ExploredLimiter extends Protection {
  readonly name: `limit/${string}`;
  readonly limiter: Limiter;
  readonly limit: Limit;
  /** Virtual times of requests of the same client that were admitted before the schedule, and its beginning; absent: none. */
  readonly earlier?: { readonly at: readonly number[]; readonly startsAt: number };
  readonly next: { readonly why: string };
  /** The violations that it shows, by the fault of a schedule; `none`: without a fault. */
  readonly expected: Partial<Readonly<Record<FaultName | 'none', GuardExpectation>>>;
  /** Its key has tokens that a timer adds: without an expiry it refuses no request. */
  readonly isFilled?: true;
  /** The code whose change makes a token invalid. */
  readonly apply: Limiter['decide'];
}

/** Longer than a schedule takes in real time: a window ends only when the schedule says so. */
const WINDOW_MS = 3_600_000;
const LIMIT = { max: 1, windowMs: WINDOW_MS };

/**
 * A schedule that begins near the end of a window: one request has opened it, and one has used up the limit shortly before.
 * With the fault `lapse` the window ends, and a limiter that forgets both requests admits as many again.
 */
const AT_EDGE = {
  limit: { max: 2, windowMs: WINDOW_MS },
  earlier: { at: [0.1 * WINDOW_MS, 0.9 * WINDOW_MS], startsAt: WINDOW_MS },
};
const EDGE = '-at-edge';

/** Without PEXPIRE, the count of the client stays forever. */
const WITHOUT_EXPIRY: GuardExpectation = { must: ['blocked-forever'] };
const BOTH_FIND_ROOM: GuardExpectation = { must: ['over-limit'] };
/** When Redis restarts empty, what was admitted before is forgotten: as many are admitted again. */
const FORGOTTEN: GuardExpectation = { must: ['over-limit'] };
/** A full bucket again. Two requests fit into one; three are too many. */
const FORGOTTEN_BUCKET: GuardExpectation = { must: [], may: ['over-limit'] };

/** What the schedules of a limiter show; the others show nothing. Of a list of tokens a restart leaves fewer, not more. */
const EXPECTED: Readonly<Record<string, ExploredLimiter['expected']>> = {
  'in-process': { none: BOTH_FIND_ROOM },
  'fixed-window-two-commands': {
    kill: WITHOUT_EXPIRY,
    error: WITHOUT_EXPIRY,
    'lose-reply': WITHOUT_EXPIRY,
    flush: FORGOTTEN,
  },
  'fixed-window': { flush: FORGOTTEN },
  'sliding-log-unatomic': {
    none: BOTH_FIND_ROOM,
    kill: { must: [], may: ['blocked-forever'] }, // between ZADD and PEXPIRE
    error: { must: [], may: ['blocked-forever'] },
    'lose-reply': { must: [], may: ['blocked-forever'] },
    flush: FORGOTTEN,
  },
  'sliding-log': { flush: FORGOTTEN },
  'sliding-counter': { flush: FORGOTTEN },
  'token-list': { tick: BOTH_FIND_ROOM }, // the timers of both processes have added a token
  'token-bucket': { flush: FORGOTTEN_BUCKET },
  'leaky-bucket': { flush: FORGOTTEN },
  [`fixed-window-two-commands${EDGE}`]: { lapse: BOTH_FIND_ROOM, flush: FORGOTTEN },
  [`fixed-window${EDGE}`]: { lapse: BOTH_FIND_ROOM, flush: FORGOTTEN },
  [`sliding-log${EDGE}`]: { flush: FORGOTTEN },
  [`token-bucket${EDGE}`]: { flush: FORGOTTEN_BUCKET },
  [`leaky-bucket${EDGE}`]: { flush: FORGOTTEN },
};

/** Limiters whose state expires at a time that their requests decide: they are explored at the edge of a window, too. */
const WITH_EDGE: readonly string[] = [
  'fixed-window-two-commands',
  'fixed-window',
  'sliding-log',
  'token-bucket',
  'leaky-bucket',
];
/** Requests of one process share its counter or its timer. */
const SHARING_STATE: readonly string[] = ['in-process', 'token-list'];

const explored = (
  limiter: Limiter,
  suffix = '',
  about: { readonly limit: Omit<Limit, 'burst'>; readonly earlier?: ExploredLimiter['earlier'] } = {
    limit: LIMIT,
  },
): ExploredLimiter => {
  const { mechanism, defect, source, next, decide } = limiter;
  const name = `${limiter.name}${suffix}`;
  return {
    name: `${PREFIX}${name}` as const,
    mechanism,
    defect,
    source,
    next,
    options: [],
    limiter,
    limit: limitOf(limiter, about.limit),
    ...(about.earlier !== undefined && { earlier: about.earlier }),
    expected: EXPECTED[name] ?? {},
    apply: decide,
    ...(name === 'token-list' && { isFilled: true as const }),
    ...(SHARING_STATE.includes(name) && { sharesState: true as const }),
  };
};

export const EXPLORED_LIMITERS: readonly ExploredLimiter[] = [
  ...LIMITERS.map((limiter) => explored(limiter)),
  ...LIMITERS.filter(({ name }) => WITH_EDGE.includes(name)).map((limiter) =>
    explored(limiter, EDGE, AT_EDGE),
  ),
];

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
