import { testDrills } from './redis-alone';

// `npm run test:long` plays the other kinds
testDrills(
  [],
  [
    [
      'restart/none',
      'violated',
      ['redis was killed, and another process answers', 'the lock is gone', 'B holds the same lock'],
      { A: 'APPLIED', B: 'APPLIED' },
    ],
    [
      'restart/aof-everysec',
      'safe',
      ["the lock is still there, and A's", 'B is refused by the lock'],
      { A: 'APPLIED', B: 'LOCK.NOT_OBTAINED' },
    ],
    [
      'replies-lost/token-lua',
      'safe',
      ["Redis executed A's SET, and the lock is held although A has given up"],
      { A: 'DEPENDENCY.DOWN', B: 'APPLIED' },
    ],
  ],
);
