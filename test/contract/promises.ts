import { before, type Mark, type Schedule } from '#lab/explore';
import type { Capability } from '#lab/strategy';
import type { ScheduleVerdict, ScheduleViolation } from '#lab/verdict';

/** How a promise is put to the test: one schedule of two buyers who want the last unit. */
export interface Trial {
  readonly processes: readonly [string, string];
  /** Milliseconds of work inside the section; only time that is visible to others matters. */
  readonly workMs?: number;
  /** Number of the step of a lone request that gives its lock back; 0 when it has none. */
  readonly play: (schedule: Schedule, releaseStep: number) => Promise<void>;
  /** What shows that the promise is broken. */
  readonly broken: (verdict: ScheduleVerdict) => readonly ScheduleViolation[];
}

const kinds =
  (...wanted: ScheduleViolation['kind'][]) =>
  ({ violations }: ScheduleVerdict): readonly ScheduleViolation[] =>
    violations.filter(({ kind }) => wanted.includes(kind));

const soldTwice = kinds('oversold', 'lost-update', 'lost-acknowledged');

const beforeSql: Mark = {
  when: 'before',
  name: 'before its first SQL statement',
  matches: ({ kind }) => kind === 'sql',
};

/** Both are on their way; B gets as far as it can while A stands before its write. */
const overtake: Trial['play'] = async ({ A, B }) => {
  await A.runUntil(before('UPDATE'));
  await B.finish();
  await A.finish();
};

export const TRIALS: Readonly<Record<Capability, Trial>> = {
  exactInOneProcess: { processes: ['p1', 'p1'], play: overtake, broken: soldTwice },

  exactAcrossProcesses: { processes: ['p1', 'p2'], play: overtake, broken: soldTwice },

  survivesDeadHolder: {
    processes: ['p1', 'p2'],
    play: async ({ A, B }) => {
      await A.runUntil(before('UPDATE'));
      await A.kill();
      await B.finish();
    },
    broken: kinds('stuck', 'oversold', 'lost-update', 'undersold'),
  },

  survivesLapse: {
    processes: ['p1', 'p2'],
    play: async (schedule) => {
      const { A, B } = schedule;
      await A.runUntil(before('UPDATE'));
      A.pause();
      await schedule.lapse();
      await B.finish();
      await A.resume();
      await A.finish();
    },
    broken: soldTwice,
  },

  releasesOnlyItsOwn: {
    processes: ['p1', 'p2'],
    play: async (schedule, releaseStep) => {
      const { A, B } = schedule;
      for (let n = 1; n < releaseStep; n++) await A.step();
      if (releaseStep === 0) await A.runUntil(before('COMMIT'));
      A.pause();
      await schedule.lapse();
      await B.runTowards(beforeSql); // by now it holds whatever lock there is, or waits for A
      await A.resume();
      await A.finish();
    },
    broken: kinds('foreign-release'),
  },

  survivesSlowWork: {
    processes: ['p1', 'p2'],
    workMs: 10_000,
    play: async ({ A, B }) => {
      await A.runUntil(before('WORK'));
      await A.slow();
      await B.finish();
      await A.finish();
    },
    broken: soldTwice,
  },
};

/** A lone request's steps, to find the one that gives the lock back. */
export async function releaseStepOf(schedule: Schedule): Promise<number> {
  const { history } = await schedule.end();
  const steps = history.events.filter((event) => event.type === 'step');
  return steps.findIndex(({ locks }) => locks?.some(({ change }) => change === 'released')) + 1;
}
