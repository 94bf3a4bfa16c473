import { testReduction } from './reduction';

testReduction(__filename, [
  ['none', ''],
  ['expiring', ''],
  ['mysql-lock-table', ''],
  ['conditional-update', ''],
  ['conditional-update', 'kill:1'],
]);
