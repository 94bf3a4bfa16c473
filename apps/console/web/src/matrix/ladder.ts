/** The strategies and circumstances that are shown first, those of the summary in docs/matrix.md. */
export const LADDER: ReadonlySet<string> = new Set([
  'none',
  'local-mutex',
  'setnx',
  'setnx-expire',
  'expiring',
  'token-checked',
  'token-lua',
  'watchdog',
  'rollback-on-loss',
  'redlock',
  'zookeeper',
  'etcd',
  'for-update',
  'conditional-update',
  'fenced-write',
  'fenced',
]);

export const SUMMARY: ReadonlySet<string> = new Set([
  'two processes',
  'kill',
  'slow work',
  'pause',
  'lapse',
  'cut',
  'lose-reply',
  'flush',
]);
