import type { ScheduleViolationKind } from '#lab/verdict';
import { NoLongerReproduces, shrink, type Played } from '../schedule';
import { UnobservedCommand, type World } from '../world';
import type { Plan } from './execution';
import type { Tally, Witness } from './tally';

/**
 * The shortest schedule that shows the worst violation of a search of a user's subject.
 *
 * @throws UnobservedCommand when its schedule does not show it again and a command was not observed: that explains it
 */
export async function shrinkWorst(
  world: World,
  plan: Plan,
  { unobserved }: Pick<Tally, 'unobserved'>,
  { witness, kind }: { readonly witness: Witness; readonly kind: ScheduleViolationKind },
): Promise<Played> {
  try {
    return await shrink(world, plan, witness.choices, kind);
  } catch (error) {
    if (unobserved === undefined || !(error instanceof NoLongerReproduces)) throw error;
    throw new UnobservedCommand(unobserved, { cause: error });
  }
}
