import { budgetText, readToken } from '#lab/explore';
import { readRun } from '#load-tests/results';
import { Injectable } from '@nestjs/common';
import type { Member } from '../classroom';
import { ExplorationsService } from '../explorations/explorations.service';
import { Schedules } from '../steps/schedules';
import { processesOf } from '../steps/setup';
import type { Goal } from './goals';
import type { GoalResult, NOT_REACHED, ProofBody } from './schemas';

type Run = Extract<Goal, { task: 'run' }>;
type Show = Extract<Goal, { task: 'show' }>;
type Prove = Extract<Goal, { task: 'prove' }>;

const reached: GoalResult = { reached: true };
const missed = (because: (typeof NOT_REACHED)[number]): GoalResult => ({ reached: false, because });

/** Checks proofs: a schedule is run again; of an exploration its counts are read, and of a load run its saved verdict. */
@Injectable()
export class GoalsService {
  constructor(
    private readonly schedules: Schedules,
    private readonly explorations: ExplorationsService,
  ) {}

  check(goal: Goal, { run, token, exploration }: ProofBody, by: Member): Promise<GoalResult> | GoalResult {
    if (goal.task === 'run') return run === undefined ? missed('no-proof') : endsAs(goal, run);
    if (goal.task === 'show') return token === undefined ? missed('no-proof') : this.show(goal, token, by);
    return exploration === undefined ? missed('no-proof') : this.prove(goal, exploration);
  }

  private async show(
    { strategy, actors, kind, choices }: Show,
    token: string,
    by: Member,
  ): Promise<GoalResult> {
    const { setup, ...schedule } = readToken(token);
    if (
      setup.strategy.name !== strategy ||
      setup.stock !== 1 ||
      String(setup.processes) !== String(processesOf(actors))
    )
      return missed('other-setup');
    if (schedule.choices.length > choices) return missed('too-many-choices');
    const { verdict } = await this.schedules.play({ setup, ...schedule }, by, (played) => played.view());
    return verdict.violations.some((violation) => violation.kind === kind) ? reached : missed('no-violation');
  }

  private prove({ strategy, actors, faults }: Prove, id: string): GoalResult {
    const found = this.explorations.find(id);
    if (
      found.strategy !== strategy ||
      found.actors !== actors ||
      found.stock !== 1 ||
      found.faults !== budgetText(faults)
    )
      return missed('other-setup');
    if (found.counts === undefined || found.counts.isPartial) return missed('not-complete');
    // a fence, not the lock, may be what keeps the data right
    if (found.counts.mark !== 'safe' && found.counts.mark !== 'lock-broken') return missed('not-safe');
    this.explorations.keep(found);
    return reached;
  }
}

/** The verdict in the folder of a load run. A folder that was removed proves nothing. */
function endsAs({ strategy, verdict }: Run, folder: string): GoalResult {
  const { verdict: saved } = readRun(folder);
  if (saved === undefined) return missed('no-proof');
  if (saved.strategy !== strategy) return missed('other-setup');
  return saved.verdict === verdict ? reached : missed('other-verdict');
}
