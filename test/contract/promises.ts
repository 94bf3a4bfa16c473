import { CROSSED_CARTS, before, type Breakpoint, type Schedule } from '#lab/explore';
import type { Capability, Options } from '#lab/strategy';
import type { ScheduleHistory, ScheduleVerdict, ScheduleViolation } from '#lab/verdict';

/** The steps at which a lone request acquires and releases its lock, by number; 0 if there is no such step. */
export interface LockSteps {
  readonly take: number;
  readonly release: number;
}

/** One interleaving that tests a promise. */
type Scenario = (schedule: Schedule, lock: LockSteps) => Promise<void>;

/** How a schedule ended. */
interface Ending {
  readonly verdict: ScheduleVerdict;
  readonly history: ScheduleHistory;
}

/**
 * How a promise is tested: a promise that is made must hold in each scenario; one that is not made must break in at
 * least one.
 */
export interface Trial {
  readonly processes: readonly string[];
  readonly options?: Partial<Options>;
  readonly stock?: number;
  /** The carts of the buyers; only for strategies that sell carts. */
  readonly carts?: readonly (readonly string[])[];
  readonly scenarios: Readonly<Record<string, Scenario>>;
  /** Evidence that the promise is broken. */
  readonly broken: (ending: Ending) => readonly unknown[];
  /** The least number of sales for a scenario to count as a test; default 1. */
  readonly least?: number;
}

const kinds =
  (...wanted: ScheduleViolation['kind'][]) =>
  ({ verdict }: Ending): readonly ScheduleViolation[] =>
    verdict.violations.filter(({ kind }) => wanted.includes(kind));

const soldTwice = kinds('oversold', 'lost-update', 'lost-acknowledged');

/** Buyers that gave up waiting. */
const timedOut = ({ history }: Ending): readonly unknown[] =>
  history.events.filter((event) => event.type === 'end' && event.code === 'LOCK.NOT_OBTAINED');

const either =
  (...findings: Trial['broken'][]) =>
  (ending: Ending): readonly unknown[] =>
    findings.flatMap((find) => find(ending));

/** The write of the stock, as opposed to that of a token or of a lock's row. */
const beforeWrite: Breakpoint = {
  when: 'before',
  name: 'before its write of the stock',
  matches: ({ text }) => /^UPDATE balance(_segment)? SET amount/.test(text),
};
const beforeCommit = before('COMMIT');
const beforeSql: Breakpoint = {
  when: 'before',
  name: 'before its first SQL statement',
  matches: ({ kind }) => kind === 'sql',
};

/** A is held at `breakpoint`; B runs as far as it can. */
const overtake =
  (breakpoint: Breakpoint): Scenario =>
  async ({ A, B }) => {
    await A.runUntil(breakpoint);
    await B.finish();
    await A.finish();
  };

/** A and B alternate, one step each. */
const alternating: Scenario = async ({ A, B }) => {
  while (A.canMove || B.canMove) for (const player of [A, B]) if (player.canMove) await player.step();
};

const exact: Trial['scenarios'] = {
  'B enters before the write of A': overtake(beforeWrite),
  'B enters before the COMMIT of A': overtake(beforeCommit),
  'A and B alternate': alternating,
};

/** A is paused at `breakpoint` until its lease has ended; B runs as far as `meanwhile` drives it. */
const lapseAt =
  (breakpoint: Breakpoint, meanwhile: (B: Schedule['B']) => Promise<unknown>): Scenario =>
  async (schedule) => {
    const { A, B } = schedule;
    await A.runUntil(breakpoint);
    A.pause();
    await schedule.lapse();
    await meanwhile(B);
    await A.resume();
    await A.finish();
    await B.finish();
  };

/** Redis restarts empty while A is held at `breakpoint`. */
const emptyAt =
  (breakpoint: Breakpoint, meanwhile: (B: Schedule['B']) => Promise<unknown>): Scenario =>
  async (schedule) => {
    const { A, B } = schedule;
    await A.runUntil(breakpoint);
    await schedule.flush();
    await meanwhile(B);
    await A.finish();
    await B.finish();
  };

/**
 * A is cut off from the servers of its lock, but not from its clock or the database; its work takes longer than its
 * lease.
 */
const cutOffAtWork =
  (meanwhile: (B: Schedule['B']) => Promise<unknown>): Scenario =>
  async ({ A, B }) => {
    await A.runUntil(before('WORK'));
    A.cut();
    await A.slow();
    await meanwhile(B);
    await A.finish();
    await B.finish();
  };

/** A and B take a step each, so that both have tried to acquire; then the work of A outlives its lease. */
const slowAfterBothTried =
  (atWork: (A: Schedule['A']) => void = () => undefined): Scenario =>
  async ({ A, B }) => {
    await A.step();
    await B.step();
    if (!(await A.runTowards(before('WORK')))) return;
    atWork(A);
    await A.slow();
    await B.finish();
    await A.finish();
  };

/** Runs A through step number `last`, or to its end; up to its COMMIT when `last` is 0. */
async function runThrough(A: Schedule['A'], last: number): Promise<void> {
  for (let n = 1; n <= last && A.canMove; n++) await A.step();
  if (last === 0) await A.runTowards(beforeCommit);
}

const runUpToRelease = (A: Schedule['A'], { release }: LockSteps): Promise<void> =>
  runThrough(A, Math.max(0, release - 1));

/** B waits from the start, A is done at 25 s: one lease later B is still waiting, two leases later it is not. */
const LONG_WORK = { workMs: 10_000, leaseMs: 10_000, waitMs: 38_000 };

/** Two products, one for A and one for B, which share a process; C wants the product of A. */
const TWO_PRODUCTS = [['item'], ['other'], ['item']];

const TRIALS: Readonly<Record<Capability, Trial | readonly Trial[]>> = {
  exactInOneProcess: { processes: ['p1', 'p1'], scenarios: exact, broken: soldTwice },

  exactAcrossProcesses: { processes: ['p1', 'p2'], scenarios: exact, broken: soldTwice },

  survivesDeadHolder: {
    processes: ['p1', 'p2'],
    scenarios: {
      'killed before its write': async ({ A, B }) => {
        await A.runUntil(beforeWrite);
        await A.kill();
        await B.finish();
      },
      'killed right after it has taken the lock': async ({ A, B }, { take }) => {
        await runThrough(A, take);
        await A.kill();
        await B.finish();
      },
      'killed right after it has taken the lock after B has finished': async ({ A, B }, { take }) => {
        await B.finish();
        await runThrough(A, take);
        await A.kill();
      },
    },
    broken: either(kinds('stuck', 'oversold', 'lost-update', 'undersold'), timedOut),
  },

  survivesLapse: {
    processes: ['p1', 'p2'],
    scenarios: {
      'at its write, and B sells meanwhile': lapseAt(beforeWrite, (B) => B.finish()),
      'at its write, and B has read meanwhile': lapseAt(beforeWrite, (B) => B.runTowards(beforeWrite)),
      'at its COMMIT': lapseAt(beforeCommit, (B) => B.finish()),
      'Redis restarts empty, and B sells meanwhile': emptyAt(beforeWrite, (B) => B.finish()),
      'Redis restarts empty, and B has read meanwhile': emptyAt(beforeWrite, (B) =>
        B.runTowards(beforeWrite),
      ),
    },
    broken: soldTwice,
  },

  sellsToTheLast: {
    processes: ['p1', 'p2', 'p3'],
    stock: 3,
    scenarios: {
      'one after the other': async ({ A, B, C }) => {
        for (const buyer of [A, B, C]) await buyer.finish();
      },
      'all alternate': async ({ A, B, C }) => {
        const buyers = [A, B, C];
        while (buyers.some(({ canMove }) => canMove))
          for (const buyer of buyers) if (buyer.canMove) await buyer.step();
      },
    },
    broken: kinds('undersold'),
  },

  survivesFailedWrite: {
    processes: ['p1', 'p2'],
    scenarios: {
      'B enters before the write of A, which fails': async ({ A, B }) => {
        await A.runUntil(beforeWrite);
        await B.finish();
        await A.stepWith('error');
        await A.finish();
        await B.finish();
      },
    },
    broken: kinds('undersold'),
  },

  releasesOnlyItsOwn: [
    {
      processes: ['p1', 'p2'],
      scenarios: {
        'its lease ends before it releases': async (schedule, lock) => {
          const { A, B } = schedule;
          await runUpToRelease(A, lock);
          A.pause();
          await schedule.lapse();
          await B.runTowards(beforeSql); // by now B holds the lock, if there is one, or waits for A
          await A.resume();
          await A.finish();
        },
        'Redis restarts empty before it releases': async (schedule, lock) => {
          const { A, B } = schedule;
          await runUpToRelease(A, lock);
          await schedule.flush();
          await B.runTowards(beforeSql);
          await A.finish();
          await B.finish();
        },
        'Redis restarts empty before it reads, and B buys': async (schedule) => {
          const { A, B } = schedule;
          await A.runTowards(beforeSql);
          await schedule.flush();
          await B.finish();
          await A.finish();
        },
        'A and B alternate': alternating,
      },
      broken: kinds('foreign-release'),
    },
    {
      processes: ['p1', 'p1'],
      scenarios: {
        'B enters before the release of A': async ({ A, B }, lock) => {
          await runUpToRelease(A, lock);
          await B.finish();
          await A.finish();
        },
      },
      broken: kinds('foreign-release'),
    },
  ],

  survivesSlowWork: [
    {
      processes: ['p1', 'p2'],
      options: { workMs: 10_000 },
      scenarios: {
        'B sells meanwhile': async ({ A, B }) => {
          await A.runUntil(before('WORK'));
          await A.slow();
          await B.finish();
          await A.finish();
        },
        'B has read meanwhile': async ({ A, B }) => {
          await A.runUntil(before('WORK'));
          await A.slow();
          await B.runTowards(beforeWrite);
          await A.finish();
          await B.finish();
        },
        'A and B have both tried to acquire the lock': slowAfterBothTried(),
      },
      broken: soldTwice,
    },
    {
      processes: ['p1', 'p1', 'p2'],
      options: { workMs: 10_000 },
      carts: TWO_PRODUCTS,
      scenarios: {
        'B finishes its work on another product in the same process, then C enters': async ({ A, B, C }) => {
          await A.runUntil(before('WORK'));
          await B.finish();
          await A.slow();
          await C.runTowards(beforeWrite);
          await A.finish();
          await C.finish();
        },
        'B works on another product in the same process while A is about to commit, then C enters': async ({
          A,
          B,
          C,
        }) => {
          await B.runUntil(before('WORK'));
          await A.runTowards(beforeCommit);
          await B.slow();
          await C.runTowards(beforeWrite);
          await A.finish();
          await C.finish();
        },
      },
      broken: soldTwice,
    },
  ],

  noticesLoss: {
    processes: ['p1', 'p2'],
    options: { workMs: 10_000 },
    scenarios: {
      'A is cut off at work, and B sells meanwhile': cutOffAtWork((B) => B.finish()),
      'A is cut off at work, and B has read meanwhile': cutOffAtWork((B) => B.runTowards(beforeWrite)),
      'A is cut off at work, after A and B have both tried to acquire the lock': slowAfterBothTried((A) => {
        A.cut();
      }),
    },
    broken: soldTwice,
  },

  releasesAfterSale: {
    processes: ['p1', 'p2'],
    options: { waitMs: 0 },
    stock: 2,
    scenarios: {
      'B enters after A has bought': async ({ A, B }) => {
        await A.finish();
        await B.finish();
      },
    },
    broken: timedOut,
  },

  survivesFailedRelease: [
    {
      processes: ['p1', 'p2'],
      stock: 2,
      scenarios: {
        'the release of A fails': async ({ A, B }, lock) => {
          await runUpToRelease(A, lock);
          if (lock.release > 0) await A.stepWith('error');
          await A.finish();
          await B.finish();
        },
      },
      broken: either(kinds('stuck'), timedOut),
    },
    {
      processes: ['p1', 'p2'],
      stock: 2,
      options: LONG_WORK,
      scenarios: {
        'the release of A fails after long work': async ({ A, B }, lock) => {
          await A.runUntil(before('WORK'));
          await B.finish();
          await A.slow();
          if (await A.runTowards(beforeCommit)) {
            await A.step();
            if (lock.release > 0) await A.stepWith('error');
          }
          await A.finish();
          await B.finish();
        },
      },
      broken: either(kinds('stuck'), timedOut),
      least: 0, // a holder that notices the loss of its lock sells nothing
    },
  ],

  grantsOneLease: {
    processes: ['p1', 'p2'],
    options: LONG_WORK,
    scenarios: {
      'A dies after long work': async ({ A, B }) => {
        await A.runUntil(before('WORK'));
        await B.finish();
        await A.slow();
        await A.kill();
        await B.finish();
      },
      'A dies right after it has taken the lock after B has finished': async ({ A, B }, { take }) => {
        await B.finish();
        await runThrough(A, take);
        await A.kill();
      },
    },
    broken: either(kinds('stuck'), timedOut),
    least: 0, // units that A had reserved may be missing: another promise covers that
  },

  losersTouchNothing: {
    processes: ['p1', 'p2'],
    options: { leaseMs: 10_000, waitMs: 3000 },
    scenarios: {
      'B gives up before the lease of A ends': async ({ A, B }) => {
        await A.runUntil(beforeWrite);
        await A.kill();
        await B.finish();
      },
    },
    broken: kinds('foreign-release', 'foreign-renewal'),
    least: 0,
  },

  servesCrossedCarts: {
    processes: ['p1', 'p2'],
    carts: CROSSED_CARTS,
    stock: 2,
    scenarios: {
      'A and B alternate': alternating,
      'A and B alternate until a lease ends, and alternate again': async (schedule, lock) => {
        await alternating(schedule, lock);
        await schedule.lapse();
        await alternating(schedule, lock);
      },
    },
    broken: either(soldTwice, kinds('dead-lock', 'torn-cart'), timedOut),
    least: 4,
  },

  renewsOnlyItsOwn: {
    processes: ['p1', 'p2', 'p3'],
    scenarios: {
      'A loses its lock to B and finishes; B dies': async (schedule) => {
        const { A, B, C } = schedule;
        await A.runUntil(beforeWrite);
        A.pause();
        await schedule.lapse();
        await B.runTowards(beforeWrite);
        await A.resume();
        await A.finish();
        await B.kill();
        await C.finish();
      },
      'Redis restarts empty between the first commands of A and B': async (schedule) => {
        const { A, B } = schedule;
        await A.step();
        await schedule.flush();
        await B.step();
        await A.finish();
        await B.finish();
      },
    },
    broken: kinds('foreign-renewal'),
  },

  failsClosed: {
    processes: ['p1', 'p2'],
    scenarios: {
      'the acquire of B fails while A is at work': async ({ A, B }, { take }) => {
        await A.runUntil(beforeWrite);
        if (take > 0) {
          for (let n = 1; n < take && B.canMove; n++) await B.step();
          await B.stepWith('error');
          await B.finish();
        }
        await A.finish();
      },
    },
    broken: kinds('fail-open'),
  },

  givesUpInTime: {
    processes: ['p1', 'p2'],
    options: { leaseMs: 10_000, waitMs: 3000 },
    scenarios: {
      'A dies at work, and B has less time than the lease of A': async ({ A, B }) => {
        await A.runUntil(beforeWrite);
        await A.kill();
        await B.finish();
      },
    },
    broken: kinds('late'),
    least: 0,
  },
};

/** The trials of a promise; trials with carts of several products are for strategies that sell carts. */
export const trialsOf = (capability: Capability): readonly Trial[] => [TRIALS[capability]].flat();

export const needsCarts = ({ carts = [] }: Trial): boolean => carts.some((cart) => cart.length > 1);

/** Finds the lock steps in the history of a lone request. */
export async function lockStepsOf(schedule: Schedule): Promise<LockSteps> {
  const { history } = await schedule.end();
  const steps = history.events.filter((event) => event.type === 'step');
  const first = (wanted: string, sql: RegExp): number =>
    steps.findIndex(
      ({ locks, text }) => locks?.some(({ change }) => change === wanted) === true || sql.test(text),
    ) + 1;
  return {
    take: first('taken', /^INSERT IGNORE INTO balance_lock|GET_LOCK/),
    release: first('released', /^DELETE FROM balance_lock|RELEASE_LOCK/),
  };
}
