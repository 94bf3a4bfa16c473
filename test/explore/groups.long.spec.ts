import { testGroupwise } from './groupwise';

testGroupwise(__filename, ['watchdog', 'expiring', 'segmented']);
