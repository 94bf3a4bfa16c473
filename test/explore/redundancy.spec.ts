import { testRedundancy } from './redundancy';

testRedundancy(__filename, [
  ['token-lua', 'lapse:1'],
  ['watchdog', 'pause:1'],
  ['fenced', 'lapse:1'],
]);
