import { valueAfter, type Change, type Movement } from '#lab/balance';
import type { World } from '#lab/explore';
import type { SteppedDataSource } from '#lab/step';
import type { Strategy, Tools } from '#lab/strategy';

/** A strategy for one spec only: a bug that is there on purpose, or the fix of one. */
export const planted = (
  name: string,
  apply: Strategy['apply'],
  more: Partial<Pick<Strategy, 'keys' | 'options' | 'module'>> = {},
): Strategy => ({
  name,
  mechanism: '',
  defect: '',
  source: '',
  next: '',
  options: [],
  lacks: [],
  expected: {},
  apply,
  ...more,
});

/** Read, check, write: what a lock is there to protect. */
export async function sellUnprotected(
  change: Change,
  balances: Pick<Tools['balances'], 'read' | 'write'>,
): Promise<Movement> {
  const before = await balances.read(change.balance);
  return balances.write(change, before, valueAfter(change, before));
}

/** The database connections of the actor whose request it is. */
export function dataSourceOf(world: World, { request }: Change): SteppedDataSource {
  const seat = world.connectionsOfActors['ABC'.indexOf(request)];
  if (seat === undefined) throw new Error(`nobody is called ${request}`);
  return seat.dataSource;
}
