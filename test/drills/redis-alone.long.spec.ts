import { testDrills } from './redis-alone';

testDrills(
  ['faketime'],
  [
    [
      'power-loss/aof-everysec',
      'violated',
      ['the fsync thread has not run since', 'the lock is gone', 'B holds the same lock'],
      { A: 'APPLIED', B: 'APPLIED' },
    ],
    [
      'power-loss/aof-always',
      'safe',
      ['Redis fsyncs before it replies', "the lock is still there, and A's"],
      { A: 'APPLIED', B: 'LOCK.NOT_OBTAINED' },
    ],
    [
      'voter-restart/empty',
      'violated',
      ['A holds the lock by exactly three votes of five', 'B holds the same lock by the other three votes'],
      { A: 'APPLIED', B: 'APPLIED' },
    ],
    [
      'clock-jump/fenced',
      'safe',
      ['the clock of redis was correct and jumped past the end of the lease', 'B holds the same lock'],
      { A: 'LOCK.FENCED', B: 'APPLIED' },
    ],
    [
      'black-hole/watchdog',
      'safe',
      ['its lease has ended, and B holds the lock'],
      { A: 'LOCK.LOST', B: 'APPLIED' },
    ],
  ],
);
