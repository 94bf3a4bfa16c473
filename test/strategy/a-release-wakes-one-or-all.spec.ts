import { World } from '#lab/explore';
import { observe, systemClock, type Step } from '#lab/step';
import { DEFAULT_OPTIONS, LocalProcess, findStrategy } from '#lab/strategy';
import { eventually } from '../harness/eventually';
import { openWorld } from '../harness/servers';

const WAITERS = 6;
let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/**
 * Starts all buyers while the first one holds the lock, and returns the number of waiters that each release woke
 * up.
 */
async function wakeUps(name: string): Promise<number[]> {
  const strategy = findStrategy(name);
  await world.begin(strategy, { stock: WAITERS + 1 });
  const connections = world.connectionsOfActors[0];
  if (connections === undefined) throw new Error('the world has no connections of actors');
  let waits = 0;
  let woken = 0;
  const listener = async (step: Step, issue: () => Promise<unknown>): Promise<unknown> => {
    if (step.verb !== 'WAIT') return issue();
    waits++;
    await issue();
    waits--;
    woken++;
    return undefined;
  };
  const wokenBy: number[] = [];
  let served = 0;
  const work = async (): Promise<void> => {
    // waiters that the last release woke up without success have tried and wait again
    await eventually('all other buyers wait', () => waits === WAITERS - served);
    if (served++ > 0) wokenBy.push(woken);
    woken = 0;
  };
  const buy = (buyer: number): Promise<unknown> =>
    observe({ actor: `buyer-${buyer}`, listener }, () =>
      strategy.apply(
        { balance: 'item', delta: -1, request: `buyer-${buyer}`, replica: 'one', strategy: name },
        {
          ...connections,
          clock: systemClock,
          process: new LocalProcess('one'),
          options: { ...DEFAULT_OPTIONS, leaseMs: 40_000, waitMs: 300_000 },
          work,
          warn: (warning, cause) => {
            throw new Error(warning, { cause });
          },
        },
      ),
    );
  await Promise.all(Array.from({ length: WAITERS + 1 }, (_, buyer) => buy(buyer)));
  return wokenBy;
}

test.each(['zookeeper', 'etcd'])('%s: a release wakes up one waiter', async (name) => {
  expect(await wakeUps(name)).toEqual(Array.from({ length: WAITERS }, () => 1));
});

test('zookeeper-herd: a release wakes up all waiters', async () => {
  expect(await wakeUps('zookeeper-herd')).toEqual(Array.from({ length: WAITERS }, (_, i) => WAITERS - i));
});
