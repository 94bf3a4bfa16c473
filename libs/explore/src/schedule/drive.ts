import { enabledSteps, isSame, resumes, type ActorChoice, type Choice } from './choice';
import { apply } from './apply';
import { advanceTime, close } from './ending';
import type { Run } from '../execution';
import type { ScheduleHistory } from '#lab/verdict';

/** Choices at one time of a schedule. No request takes as many steps without waiting, but a loop that never ends does. */
const MOST_AT_ONE_TIME = 1000;

/** An actor tries again and again, and the time of the schedule does not advance. */
export class PollsWithoutPause extends Error {
  readonly code = 'EXPLORE.POLLS_WITHOUT_PAUSE';

  constructor(actor: string, lastStep: string) {
    super(
      `${actor} repeats "${lastStep}" without a pause of more than 1 ms: the time of a schedule advances only while all actors wait, so that this loop never ends. Wait longer between two attempts`,
    );
    this.name = 'PollsWithoutPause';
  }
}

/** What can happen without a fault: an actor takes a step, or a paused process resumes. */
export interface Enabled {
  readonly steps: readonly ActorChoice[];
  readonly resumes: readonly Choice[];
  /** Time has advanced since the last choice, because nothing was enabled. */
  readonly isLater: boolean;
}

/**
 * The loop of every schedule. `decide` makes each choice, with its position from 0; undefined ends the schedule. Where no
 * step is enabled and no process can resume, time advances before `decide` is called again; when nothing can happen any
 * more it is called a last time. `perform` executes a choice.
 *
 * @throws PollsWithoutPause the schedule would never end
 */
export async function drive(
  run: Run,
  decide: (enabled: Enabled) => Choice | undefined,
  perform: (choice: Choice) => Promise<unknown>,
): Promise<void> {
  let isLater = false;
  let atThisTime = 0;
  for (;;) {
    const enabled = { steps: enabledSteps(run), resumes: resumes(run), isLater };
    if (enabled.steps.length + enabled.resumes.length === 0) {
      if (await advanceTime(run)) {
        isLater = true;
        atThisTime = 0;
        continue;
      }
      await run.confirmWaits();
    }
    const choice = decide(enabled);
    if (choice === undefined) return;
    isLater = false;
    if (++atThisTime > MOST_AT_ONE_TIME && 'actor' in choice) {
      const { name, lastStep } = run.actor(choice.actor);
      throw new PollsWithoutPause(name, lastStep);
    }
    await perform(choice);
  }
}

/** The next choice of a schedule without faults: the last actor continues until it blocks or ends, then the next one. */
export const continuation = (
  made: readonly Choice[],
  { steps, resumes: [resume] }: Pick<Enabled, 'steps' | 'resumes'>,
): Choice | undefined =>
  made.findLast((choice) => steps.some((step) => isSame(step, choice))) ?? steps[0] ?? resume;

/**
 * Runs all actors to completion, one after the other, and returns the history. `atEnd` is called before the servers are
 * reset.
 */
export async function finishAll(run: Run, atEnd?: () => Promise<void>): Promise<ScheduleHistory> {
  await drive(
    run,
    ({ steps: [step], resumes: [resume] }) => step ?? resume,
    (choice) => apply(run, choice),
  );
  await atEnd?.();
  return close(run);
}
