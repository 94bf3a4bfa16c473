import { testReduction } from './reduction';

testReduction(__filename, [
  ['token-checked', ''],
  ['mysql-lock-table', ''],
  ['watchdog', ''],
  ['mysql-named-lock', ''],
  ['for-update', ''],
  ['setnx', 'kill:1'],
  ['token-lua', 'kill:1'],
  ['replicated', 'kill:1'],
  ['for-update', 'error:1'],
  ['for-update', 'in-flight:1'],
  ['for-update', 'lost-session:1'],
  ['for-update', 'host-down:1'],
  ['expiring', 'host-down:1'],
  ['setnx', 'cut:1'],
  ['token-checked', 'cut:1'],
  ['directory', 'kill:1'],
  ['fenced-write', ''],
  ['job/marker', 'kill:1'],
  ['page/single-flight', 'lose-reply:1'],
  ['limit/sliding-log', 'lapse:1'],
]);
