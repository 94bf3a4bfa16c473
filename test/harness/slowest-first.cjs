const { statSync } = require('node:fs');

/**
 * The suites that take longest, slowest first. They start first: a slow suite that starts last would run alone while the
 * other workers are idle. jest knows the times of earlier runs only, so a fresh checkout needs this list.
 */
const SLOWEST = [
  'cli/verify.long',
  'course/exercises.long',
  'course/lessons.long',
  'kit/packed.long',
  'console/page.long',
  'guard/explored.long',
  'explore/planted-cells.long',
  'docs/shown-explorations.long',
  'explore/signs.long',
  'explore/declared-defects.long',
  'explore/crossed-carts.long',
  'verify/locks-of-teams.long',
  'cli/exercise.long',
  'guard/load.long',
  'cli/runs.long',
  'cli/interrupted.long',
  'explore/replay.long',
  'verify/pipelines.long',
  'verify/failed-acquire.long',
  'verify/created-tables.long',
  'limit/table.long',
  'explore/sale-checks-its-lock-row.long',
  'strategy/segments.long',
  'verify/lock-in-own-table.long',
  'verify/late-named-lock.long',
  'kit/deleted-rows.long',
  'explore/notify.long',
  'explore/reduction.long',
  'explore/redundancy.long',
  'explore/all-orders.long',
  'explore/groups.long',
  'e2e/idempotency-after-a-crash.long',
  'console/runs.long',
  'contract/strategies.long',
  'e2e/faults.long',
  'e2e/accounts.long',
  'e2e/surface.long',
  'verify/all-endings.long',
  'console/goals.long',
  'verify/own-lock.long',
  'console/explorations.long',
  'console/schedules.long',
  'console/cancel.long',
  'contract/strategies',
  'explore/realm',
  'explore/signs',
  'explore/matrix',
  'e2e/shop',
  'stack/servers',
  'explore/groups',
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

  /** Part `shardIndex` of `shardCount`, counted from 1, of about equal length: the slowest suites are dealt out in turn. */
  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_, i) => i % shardCount === shardIndex - 1);
  }

  allFailedTests() {
    return []; // for `jest --onlyFailures`, which needs the times of earlier runs
  }

  cacheResults() {}
};
