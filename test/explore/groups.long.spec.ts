import { testGroupwise } from './groupwise';

testGroupwise(__filename, ['expiring']);
