import { startProcesses, type Stack } from '#lab/stack';
import { ALL_LIMITERS, inventoryWithPeers, LimitRunner, rowsOf, titleOf } from '#load-tests/limits';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';

const dir = resolve('.lab', `test-limit-table-${process.pid}`);
let stack: Stack;
let runner: LimitRunner;
beforeAll(async () => {
  stack = await startProcesses({
    dir,
    replicas: { order: 0, inventory: 2 },
    // the built file: the replicas run from dist/
    entries: { inventory: inventoryWithPeers().replace(/load-tests(?=\/limits\/)/, 'dist/load-tests') },
    lab: true,
  });
  runner = new LimitRunner(stack);
});
afterAll(async () => {
  await runner.close();
  await stack.stop();
  rmSync(dir, { recursive: true, force: true });
});

test.each(ALL_LIMITERS.flatMap(rowsOf).map((row) => [titleOf(row), row] as const))(
  '%s is as its catalogue entry says',
  async (_title, row) => {
    const { verdict, commands } = await runner.run(row, { requests: 400 }, () => undefined);
    const { violations, because, asExpected } = verdict;
    expect({ violations, because, asExpected }).toEqual({
      violations: expect.arrayContaining([...verdict.expected.must]) as string[],
      because,
      asExpected: true,
    });
    if (verdict.verdict === 'safe' && commands !== undefined) expect(commands.sent).toBeLessThanOrEqual(1.05);
  },
);
