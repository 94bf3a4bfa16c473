import { listRuns } from '#load-tests/results';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Later than every run, so that it is the first of the list. */
const name = `9999-12-31T23-59-59-999Z-test-${process.pid}`;
const folder = resolve('runs', name);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('a folder is a past run when it has a verdict: that of lab verify has a card only', () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(resolve(folder, 'card.html'), '');
  expect(listRuns(100)).not.toContain(name);
  writeFileSync(resolve(folder, 'verdict.json'), '{}');
  expect(listRuns(100)[0]).toBe(name);
});
