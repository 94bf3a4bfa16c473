import { World } from '#lab/explore';
import { Servers, observe, systemClock, type Step } from '#lab/step';
import { DEFAULT_OPTIONS, LocalProcess, findStrategy } from '#lab/strategy';
import { eventually } from '../harness/eventually';
import { openWorld, provide, schemaOf } from '../harness/servers';

const WAITERS = 6;
let world: World;
let servers: Servers;
beforeAll(async () => {
  world = await openWorld(__filename);
  const { zookeeper = '', etcd = '' } = await provide(['zookeeper', 'etcd']);
  servers = new Servers({ zookeeper: `${zookeeper}/${schemaOf(__filename)}`, etcd }, 'one');
  await servers.connect(() => Promise.resolve());
});
afterAll(async () => {
  servers.disconnect();
  await world.close();
});

/** Buyers who all come while the first one holds the lock: how often each release woke somebody, in order. */
async function wakeUps(name: string): Promise<number[]> {
  const strategy = findStrategy(name);
  await world.begin({ stock: WAITERS + 1, strategy });
  const seat = world.connectionsOfActors[0];
  if (seat === undefined) throw new Error('a world has connectionsOfActors');
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
    // the others of those whom the last release woke have tried in vain, and wait again
    await eventually('all others wait', () => waits === WAITERS - served);
    if (served++ > 0) wokenBy.push(woken);
    woken = 0;
  };
  const buy = (buyer: number): Promise<unknown> =>
    observe({ actor: `buyer-${buyer}`, listener }, () =>
      strategy.apply(
        { balance: 'item', delta: -1, request: `buyer-${buyer}`, replica: 'one', strategy: name },
        {
          ...seat,
          servers,
          clock: systemClock,
          process: new LocalProcess('one'),
          options: { ...DEFAULT_OPTIONS, waitMs: 20_000 },
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

test.each(['zookeeper', 'etcd'])('%s: a release wakes one waiter', async (name) => {
  expect(await wakeUps(name)).toEqual(Array.from({ length: WAITERS }, () => 1));
});

test('zookeeper-herd: a release wakes all who wait', async () => {
  expect(await wakeUps('zookeeper-herd')).toEqual(Array.from({ length: WAITERS }, (_, i) => WAITERS - i));
});
