import { rows, testSigns } from './signs';

testSigns(
  __filename,
  rows.filter(({ isSampled }) => !isSampled),
);
