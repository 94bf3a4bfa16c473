import { testRedundancy } from './redundancy';

testRedundancy(__filename, [
  ['token-lua', 'lapse:1'],
  ['fenced', 'lapse:1'],
  ['segmented-redis', 'cut:1'],
  ['fenced', 'in-flight:1,lapse:1'],
]);
