const { statSync } = require('node:fs');

/**
 * The suites that take longest, slowest first. They start first: a slow suite that starts last would run alone while the
 * other workers are idle. jest knows the times of earlier runs only, so a fresh checkout needs this list.
 */
const SLOWEST = [
  'explore/signs.long',
  'cli/interrupted.long',
  'cli/runs.long',
  'explore/crossed-carts.long',
  'explore/planted-cells.long',
  'explore/replay.long',
  'cli/explore.long',
  'explore/declared-defects.long',
  'e2e/idempotency-after-a-crash.long',
  'explore/reduction.long',
  'e2e/accounts-scan.long',
  'contract/strategies',
  'explore/signs',
  'e2e/faults',
  'e2e/accounts',
  'e2e/idempotency',
  'explore/matrix',
  'explore/realm',
  'cli/usage',
  'explore/planted-cells',
  'docs/readme',
];

/** A test sequencer of jest: the listed suites, then larger files before smaller ones. */
module.exports = class SlowestFirst {
  sort(tests) {
    const ranked = tests.map((test) => {
      const at = SLOWEST.findIndex((name) => test.path.endsWith(`/${name}.spec.ts`));
      return { test, rank: at === -1 ? SLOWEST.length : at, size: statSync(test.path).size };
    });
    return ranked.sort((a, b) => a.rank - b.rank || b.size - a.size).map(({ test }) => test);
  }

  allFailedTests() {
    return []; // for `jest --onlyFailures`, which needs the times of earlier runs
  }

  cacheResults() {}
};
