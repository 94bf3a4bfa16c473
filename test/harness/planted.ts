import { valueAfter, type Change, type Movement } from '#lab/balance';
import type { World } from '#lab/explore';
import type { SteppedDataSource } from '#lab/step';
import type { Strategy, Tools } from '#lab/strategy';

/** A strategy for one spec only: an intentional bug, or its fix. */
export const planted = (
  name: string,
  apply: Strategy['apply'],
  more: Partial<Pick<Strategy, 'keys' | 'options' | 'module'>> = {},
): Strategy => ({
  name,
  mechanism: '',
  defect: '',
  source: '',
  next: { why: '' },
  options: [],
  lacks: [],
  expected: {},
  apply,
  ...more,
});

/** Read, check, write: the section that a lock protects. */
export async function sellUnprotected(
  change: Change,
  balances: Pick<Tools['balances'], 'read' | 'write'>,
): Promise<Movement> {
  const before = await balances.read(change.balance);
  return balances.write(change, before, valueAfter(change, before));
}

/** The database connections of the actor that issued this request. */
export function dataSourceOf(world: World, { request }: Change): SteppedDataSource {
  const connections = world.connectionsOfActors['ABC'.indexOf(request)];
  if (connections === undefined) throw new Error(`there is no actor ${request}`);
  return connections.dataSource;
}
