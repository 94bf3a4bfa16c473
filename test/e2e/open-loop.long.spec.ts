import { completePlan, labOf, runLoad, type LoadRun, type PlanInput } from '#load-tests/run';
import { openShop } from './support';

const shop = openShop('open-loop');

async function run(plan: Omit<PlanInput, 'openLoop'>, inFlight: number): Promise<LoadRun> {
  const { target, control } = labOf(shop().stack);
  try {
    return await runLoad(
      target,
      control,
      completePlan({
        ...plan,
        openLoop: { perSecond: 60, seconds: 2, arrivals: 'constant', seed: 1, inFlight },
      }),
      { progress: () => undefined },
    );
  } finally {
    await target.close();
  }
}

test('an open loop is judged as a closed one', async () => {
  const { verdict, evidences, latency } = await run(
    { strategy: 'none', stock: 20, options: { workMs: 100 } },
    200,
  );
  expect(verdict).toMatchObject({ verdict: 'violated', asExpected: true });
  expect(evidences[0]?.answers.length).toBe(120);
  expect(latency.offered?.askedPerSecond).toBe(60);
});

test('while a replica is blocked, the latency since the due time is not hidden by requests that wait to be sent', async () => {
  const { latency, verdict } = await run(
    {
      strategy: 'for-update',
      stock: 1000,
      fault: { header: 'before(UPDATE)=block(1500)', on: { kind: 'nth', n: 20 } },
      options: { waitMs: 20_000, workMs: 5 },
    },
    8,
  );
  expect(verdict).toMatchObject({ sold: 120, oversold: 0, lostUpdates: 0 });
  const { p50, p99, max, uncorrected, offered } = latency;
  expect(p50).toBeGreaterThanOrEqual(uncorrected?.p50 ?? Infinity);
  expect(p99).toBeGreaterThanOrEqual(uncorrected?.p99 ?? Infinity);
  expect(max).toBeGreaterThanOrEqual(uncorrected?.max ?? Infinity);
  expect(offered).toMatchObject({ asAsked: false });
  expect(offered?.waited).toBeGreaterThan(0);
});
