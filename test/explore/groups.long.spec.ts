import { testGroupwise } from './groupwise';

testGroupwise(__filename, ['watchdog', 'expiring', 'redlock', 'segmented-naive']);
