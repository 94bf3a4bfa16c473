import { CROSSED_CARTS, before, type Breakpoint, type Schedule } from '#lab/explore';
import type { Capability, Options } from '#lab/strategy';
import type { ScheduleHistory, ScheduleVerdict, ScheduleViolation } from '#lab/verdict';

/** Where a lone request takes its lock, and where it gives it back: numbers of its steps, 0 when there is none. */
export interface LockSteps {
  readonly take: number;
  readonly release: number;
}

/** One order of things that puts a promise to the test. */
type Play = (schedule: Schedule, lock: LockSteps) => Promise<void>;

/** How a schedule ended. */
interface Ending {
  readonly verdict: ScheduleVerdict;
  readonly history: ScheduleHistory;
}

/** How a promise is put to the test: a promise must hold in each play; one that is not made must break in some. */
export interface Trial {
  readonly processes: readonly string[];
  readonly options?: Partial<Options>;
  readonly stock?: number;
  /** What the buyers want: then it is for strategies that sell carts. */
  readonly carts?: readonly (readonly string[])[];
  readonly plays: Readonly<Record<string, Play>>;
  /** What shows that the promise is broken. */
  readonly broken: (ending: Ending) => readonly unknown[];
  /** Sales without which a play would have tested nothing; 1 unless said otherwise. */
  readonly least?: number;
}

const kinds =
  (...wanted: ScheduleViolation['kind'][]) =>
  ({ verdict }: Ending): readonly ScheduleViolation[] =>
    verdict.violations.filter(({ kind }) => wanted.includes(kind));

const soldTwice = kinds('oversold', 'lost-update', 'lost-acknowledged');

/** Buyers who gave up waiting. */
const turnedAway = ({ history }: Ending): readonly unknown[] =>
  history.events.filter((event) => event.type === 'end' && event.code === 'LOCK.NOT_OBTAINED');

const either =
  (...findings: Trial['broken'][]) =>
  (ending: Ending): readonly unknown[] =>
    findings.flatMap((find) => find(ending));

/** The write of the stock, not that of a token or of a lock's row. */
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

/** A stands at `mark`; B gets as far as it can. */
const overtake =
  (mark: Breakpoint): Play =>
  async ({ A, B }) => {
    await A.runUntil(mark);
    await B.finish();
    await A.finish();
  };

/** One step each, in turn. */
const inStep: Play = async ({ A, B }) => {
  while (A.canMove || B.canMove) for (const player of [A, B]) if (player.canMove) await player.step();
};

const exact: Trial['plays'] = {
  'B comes before the write of A': overtake(beforeWrite),
  'B comes before the COMMIT of A': overtake(beforeCommit),
  'A and B in step': inStep,
};

/** A stands still at `mark` until its lease has ended, and B is where `meanwhile` brings it. */
const lapseAt =
  (mark: Breakpoint, meanwhile: (B: Schedule['B']) => Promise<unknown>): Play =>
  async (schedule) => {
    const { A, B } = schedule;
    await A.runUntil(mark);
    A.pause();
    await schedule.lapse();
    await meanwhile(B);
    await A.resume();
    await A.finish();
    await B.finish();
  };

/** Redis restarts empty while A is held before `mark`. */
const emptyAt =
  (mark: Breakpoint, meanwhile: (B: Schedule['B']) => Promise<unknown>): Play =>
  async (schedule) => {
    const { A, B } = schedule;
    await A.runUntil(mark);
    await schedule.flush();
    await meanwhile(B);
    await A.finish();
    await B.finish();
  };

/** A loses the servers of its lock, but not its clock and not the database; its work takes longer than its lease. */
const cutOffAtWork =
  (meanwhile: (B: Schedule['B']) => Promise<unknown>): Play =>
  async ({ A, B }) => {
    await A.runUntil(before('WORK'));
    A.cut();
    await A.slow();
    await meanwhile(B);
    await A.finish();
    await B.finish();
  };

/** A lives up to its step number `last`, or to its end; to its COMMIT when there is no such step. */
async function runThrough(A: Schedule['A'], last: number): Promise<void> {
  for (let n = 1; n <= last && A.canMove; n++) await A.step();
  if (last === 0) await A.runTowards(beforeCommit);
}

const runUpToRelease = (A: Schedule['A'], { release }: LockSteps): Promise<void> =>
  runThrough(A, Math.max(0, release - 1));

/** One product each, of two: A and B share a process, C wants what A wants. */
const TWO_PRODUCTS = [['item'], ['other'], ['item']];

const TRIALS: Readonly<Record<Capability, Trial | readonly Trial[]>> = {
  exactInOneProcess: { processes: ['p1', 'p1'], plays: exact, broken: soldTwice },

  exactAcrossProcesses: { processes: ['p1', 'p2'], plays: exact, broken: soldTwice },

  survivesDeadHolder: {
    processes: ['p1', 'p2'],
    plays: {
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
      'killed right after it has taken the lock, the last one to come': async ({ A, B }, { take }) => {
        await B.finish();
        await runThrough(A, take);
        await A.kill();
      },
    },
    broken: either(kinds('stuck', 'oversold', 'lost-update', 'undersold'), turnedAway),
  },

  survivesLapse: {
    processes: ['p1', 'p2'],
    plays: {
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
    plays: {
      'one after the other': async ({ A, B, C }) => {
        for (const buyer of [A, B, C]) await buyer.finish();
      },
      'all in step': async ({ A, B, C }) => {
        const buyers = [A, B, C];
        while (buyers.some(({ canMove }) => canMove))
          for (const buyer of buyers) if (buyer.canMove) await buyer.step();
      },
    },
    broken: kinds('undersold'),
  },

  survivesFailedWrite: {
    processes: ['p1', 'p2'],
    plays: {
      'B comes before the write of A, which fails': async ({ A, B }) => {
        await A.runUntil(beforeWrite);
        await B.finish();
        await A.stepWith('error');
        await A.finish();
        await B.finish();
      },
    },
    broken: kinds('undersold'),
  },

  releasesOnlyItsOwn: {
    processes: ['p1', 'p2'],
    plays: {
      'its lease ends before it releases': async (schedule, lock) => {
        const { A, B } = schedule;
        await runUpToRelease(A, lock);
        A.pause();
        await schedule.lapse();
        await B.runTowards(beforeSql); // by now it holds whatever lock there is, or waits for A
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
      'A and B in step': inStep,
    },
    broken: kinds('foreign-release'),
  },

  survivesSlowWork: [
    {
      processes: ['p1', 'p2'],
      options: { workMs: 10_000 },
      plays: {
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
      },
      broken: soldTwice,
    },
    {
      processes: ['p1', 'p1', 'p2'],
      options: { workMs: 10_000 },
      carts: TWO_PRODUCTS,
      plays: {
        'B ends its work on another product of the process, and C comes': async ({ A, B, C }) => {
          await A.runUntil(before('WORK'));
          await B.finish();
          await A.slow();
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
    plays: {
      'A is cut off at work, and B sells meanwhile': cutOffAtWork((B) => B.finish()),
      'A is cut off at work, and B has read meanwhile': cutOffAtWork((B) => B.runTowards(beforeWrite)),
    },
    broken: soldTwice,
  },

  releasesAfterSale: {
    processes: ['p1', 'p2'],
    options: { waitMs: 0 },
    stock: 2,
    plays: {
      'B comes when A has bought': async ({ A, B }) => {
        await A.finish();
        await B.finish();
      },
    },
    broken: turnedAway,
  },

  survivesFailedRelease: {
    processes: ['p1', 'p2'],
    stock: 2,
    plays: {
      'the release of A fails': async ({ A, B }, lock) => {
        await runUpToRelease(A, lock);
        if (lock.release > 0) await A.stepWith('error');
        await A.finish();
        await B.finish();
      },
    },
    broken: either(kinds('stuck'), turnedAway),
  },

  grantsOneLease: {
    processes: ['p1', 'p2'],
    // B waits from the beginning, A dies at 25 s: one lease later B is still there, two leases later it is not
    options: { workMs: 10_000, leaseMs: 10_000, waitMs: 38_000 },
    plays: {
      'A dies after long work': async ({ A, B }) => {
        await A.runUntil(before('WORK'));
        await B.finish();
        await A.slow();
        await A.kill();
        await B.finish();
      },
    },
    broken: either(kinds('stuck'), turnedAway),
    least: 0, // units that A took with it may be gone: that is another promise
  },

  losersTouchNothing: {
    processes: ['p1', 'p2'],
    options: { leaseMs: 10_000, waitMs: 3000 },
    plays: {
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
    plays: {
      'A and B in step': inStep,
      'A and B in step until a lease ends, and in step again': async (schedule, lock) => {
        await inStep(schedule, lock);
        await schedule.lapse();
        await inStep(schedule, lock);
      },
    },
    broken: either(soldTwice, kinds('dead-lock', 'torn-cart'), turnedAway),
    least: 4,
  },

  renewsOnlyItsOwn: {
    processes: ['p1', 'p2', 'p3'],
    plays: {
      'A loses its lock to B, and ends; B dies': async (schedule) => {
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
    },
    broken: kinds('foreign-renewal'),
  },
};

/** The trials of a promise; those with carts of several things are for strategies that sell carts. */
export const trialsOf = (capability: Capability): readonly Trial[] => [TRIALS[capability]].flat();

export const needsCarts = ({ carts = [] }: Trial): boolean => carts.some((cart) => cart.length > 1);

/** Looks at a lone request's steps. */
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
