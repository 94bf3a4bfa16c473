import { testReduction } from './reduction';

testReduction(__filename, [
  ['none', ''],
  ['expiring', ''],
  ['conditional-update', ''],
  ['conditional-update', 'kill:1'],
]);
