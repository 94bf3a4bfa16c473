import { ActionTarget, faultLabel, Gateway, GUARD_ROWS, runGuard } from '#load-tests/guards';
import { labOf } from '#load-tests/run';
import { startProcesses, type Stack } from '#lab/stack';
import { componentsOf } from '#lab/strategy';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';

const dir = resolve('.lab', `test-guards-${process.pid}`);
let stack: Stack;
let target: ActionTarget;

beforeAll(async () => {
  stack = await startProcesses({
    dir,
    replicas: { order: 1, inventory: 0, account: 2 },
    components: componentsOf(GUARD_ROWS.map(({ guard }) => guard)),
    lab: true,
    durability: 'relaxed',
  });
  target = new ActionTarget(stack.urls.public, stack.urls.lab ?? '');
});
afterAll(async () => {
  await target.close();
  await stack.stop();
  rmSync(dir, { recursive: true, force: true });
});

test.each(GUARD_ROWS.map((row) => ({ name: row.guard.name, fault: faultLabel(row), row })))(
  '$name under load, $fault: what its catalogue entry declares',
  async ({ row }) => {
    const { verdict } = await runGuard(
      {
        target,
        control: labOf(stack).control,
        gateway: new Gateway(stack, stack.urls.servers.gateway ?? ''),
      },
      row,
      new AbortController().signal,
    );
    expect(verdict).toMatchObject({ asExpected: true, because: [] });
    if (row.oldPages !== undefined) expect(verdict.staleMs).toBe(0); // built before the expiry
  },
);

test('numbers that processes have in memory are not given again after a reset', async () => {
  const row = GUARD_ROWS.find(({ guard }) => guard.name === 'order-number/double-buffer');
  if (row === undefined) throw new Error('there is no row of order-number/double-buffer');
  const lab = { target, control: labOf(stack).control, gateway: undefined };
  for (let run = 1; run <= 5; run++) {
    const { verdict } = await runGuard(lab, row, new AbortController().signal);
    expect(verdict).toMatchObject({ asExpected: true, violations: [] });
  }
});
