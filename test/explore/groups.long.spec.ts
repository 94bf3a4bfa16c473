import { testGroupwise } from './groupwise';

testGroupwise(__filename, ['lua', 'expiring']);
