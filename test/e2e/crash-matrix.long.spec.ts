import {
  CRASH_CASES,
  crashAt,
  enumerate,
  type CrashCase,
  type CrashPoint,
  type CrashEnvironment,
} from '#load-tests/crash';
import { Target } from '#load-tests/run';
import { openShop } from './support';

const shop = openShop('crash-matrix');

const environment = (): CrashEnvironment => ({
  target: new Target(shop().url('public'), shop().url('lab')),
  control: { ready: () => shop().stack.ready() },
  run: 'spec',
});
const named = (name: string): CrashCase => {
  const found = CRASH_CASES.find((crash) => crash.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
};
const pointOf = async (crash: CrashCase, fault: string): Promise<CrashPoint> => {
  const found = (await enumerate(environment(), crash)).find((point) => point.fault === fault);
  if (found === undefined) throw new Error(`${crash.name} has no ${fault}`);
  return found;
};

test.each(CRASH_CASES)('$name: enumerates the steps of an order in both apps', async (crash) => {
  const points = await enumerate(environment(), crash);
  const faults = points.map(({ fault }) => fault);
  expect(new Set(faults).size).toBe(faults.length);
  expect(faults).toEqual(
    expect.arrayContaining([
      'order:before(INSERT#1)=kill',
      'order:after(POST#1)=kill',
      'order:after(COMMIT#1)=kill',
      'inventory:before(UPDATE#1)=kill',
      'inventory:after(COMMIT#1)=kill',
    ]),
  );
});

test.each([
  ['conditional-update', 'inventory:after(COMMIT#1)=kill', 'reconciler', 'completed'],
  ['conditional-update', 'order:before(INSERT#2)=kill', 'client', null],
  ['redis-decr', 'inventory:before(UPDATE#1)=kill', 'reconciler', 'given-up'],
  ['conditional-update, a cart', 'order:after(POST#1)=kill', 'reconciler', 'completed'],
] as const)(
  '%s, killed at %s, repaired by the %s: the final state is consistent',
  async (name, fault, finder, outcome) => {
    const crash = named(name);
    const done = await crashAt(environment(), crash, await pointOf(crash, fault), finder);
    expect(done.wrong).toEqual([]);
    expect([done.answered.status, done.reconciled, done.answeredAgain.status]).toEqual([502, outcome, 201]);
  },
);

test('a reconciler that does nothing is detected', async () => {
  class Idle extends Target {
    override reconcileOrders(): ReturnType<Target['reconcileOrders']> {
      return Promise.resolve([]);
    }
  }
  const crash = named('conditional-update');
  const point = await pointOf(crash, 'order:before(INSERT#2)=kill');
  const target = new Idle(shop().url('public'), shop().url('lab'));
  const { wrong } = await crashAt({ ...environment(), target }, crash, point, 'reconciler');
  expect(wrong).toContainEqual(expect.stringMatching(/movements of .+, orders of $/));
});

test('a replica that does not die proves nothing', async () => {
  const crash = named('conditional-update');
  const point = {
    ...(await pointOf(crash, 'order:before(POST#1)=kill')),
    fault: 'order:before(POST#9)=kill',
  };
  const { wrong } = await crashAt(environment(), crash, point, 'reconciler');
  expect(wrong).toContain('the supervisor recorded no death of the replica, so this crash proves nothing');
});
